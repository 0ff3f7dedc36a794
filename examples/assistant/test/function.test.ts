import OpenAI from 'openai';
import { expect, it, vi } from 'vitest';
import { estimate, type OfferedModel } from '../extension/src/estimate.ts';
import { costOf } from '../function/cost.ts';
import { eventsOf, type Fault, type Scene } from '../function/stand-in.ts';
import { askFor, fakeBilling, serveAssistant } from './serve.ts';

const USAGE = { input: 210, cached: 340, output: 80, reasoning: 130 };
const SCENE: Scene = { text: ['Grüße', ' aus', ' 東京', '.'], reasoning: ['Hm.'], usage: USAGE };
const messages = [{ role: 'user' as const, content: 'Hello' }];
const rate = (per: number) => ({ credits: 1, per });
const PRICE = {
  hold: 200,
  rates: { input: rate(100), cached: rate(1_000), output: rate(20), reasoning: rate(20) },
};
const COST = costOf(PRICE, USAGE);

/** A user with credits, and the function before the stand-in. */
async function aCaller(credits = 100_000, limits?: Parameters<typeof serveAssistant>[2]) {
  const fake = fakeBilling(PRICE, { ada: credits });
  const served = await serveAssistant(fake.billing, PRICE, limits);
  served.play(SCENE);
  const client = served.client('ada');
  const ask = (model?: string, content?: string) => askFor(client, model, content);
  return { ...fake, ...served, client, ask };
}

it('streams an answer to OpenAI’s package and charges what the upstream counted', async () => {
  const { ask, kept, balances } = await aCaller(1_000);
  expect(await ask('long')).toMatchObject({
    ...{ text: 'Grüße aus 東京.', finish: 'stop' },
    usage: { prompt_tokens: 550, completion_tokens: 210, prompt_tokens_details: { cached_tokens: 340 } },
    billing: { credits: COST, usage: USAGE, estimated: false, balance: 1_000 - COST },
  });
  expect(kept).toMatchObject([{ ends: [{ cost: COST, units: USAGE, label: 'long' }] }]);
  expect(balances.ada).toBe(1_000 - COST);
});

it('answers whole, and through the package’s own helper for streams', async () => {
  const { client, play, kept } = await aCaller();
  play({ ...SCENE, finish: 'length' });
  const stream_options = { include_usage: true };
  const answers = [
    await client.chat.completions.create({ model: 'small', messages }),
    await client.chat.completions.stream({ model: 'small', messages, stream_options }).finalChatCompletion(),
  ];
  for (const { choices, usage } of answers) {
    expect(choices[0]).toMatchObject({ finish_reason: 'length', message: { content: 'Grüße aus 東京.' } });
    expect(usage?.total_tokens).toBe(760);
  }
  expect(kept.map(({ ends }) => ends.length)).toEqual([1, 1]);
});

it('sends the upstream the owner’s key, model and limit, and nothing else of the caller’s', async () => {
  const { client, upstream } = await aCaller();
  await client.chat.completions.create({
    model: 'small',
    messages: [{ role: 'developer', content: 'Be short.' }, ...messages],
    ...{ max_completion_tokens: 1_000_000, temperature: 0.5, stop: 'end' },
  });
  const [asked] = upstream.asked;
  expect(asked?.headers.authorization).toBe('Bearer owner-key');
  expect(asked?.body).toEqual({
    ...{ model: 'gpt-5-mini', max_completion_tokens: 1_024, temperature: 0.5, stop: ['end'] },
    ...{ stream: true, stream_options: { include_usage: true } },
    messages: [{ role: 'system', content: 'Be short.' }, ...messages],
  });
});

it('holds less if less is asked for', async () => {
  const { client, kept } = await aCaller();
  for (const max_tokens of [1_000, 100]) {
    await client.chat.completions.create({ model: 'small', messages, max_tokens });
  }
  expect((kept[0]?.cost ?? 0) - (kept[1]?.cost ?? 0)).toBe(900 / 20);
});

it('lists its models, from which a page says what the function will hold', async () => {
  const { client, ask, kept } = await aCaller();
  const { data } = await client.models.list();
  expect(data.map(({ id }) => id)).toEqual(['small', 'long']);
  for (const content of ['Hello', 'Grüße aus 東京 '.repeat(200)]) {
    for (const model of data as unknown as readonly OfferedModel[]) {
      const { most, isTooLong } = estimate([{ role: 'user', text: content }], model);
      await ask(model.id, content);
      expect([kept.at(-1)?.cost, isTooLong]).toEqual([most, false]);
    }
  }
});

it.each(['cut', 'end', 'error', 'garbage'] as const)(
  'with a %s after any event ends in one settle or one release',
  async (kind) => {
    const { ask, kept, play, balances } = await aCaller();
    for (let after = 0; after <= eventsOf(SCENE).length; after += 1) {
      play({ ...SCENE, fault: { kind, after } });
      const answered = await ask().catch((error: unknown) => error);
      const [end, ...more] = kept[after]?.ends ?? [];
      expect(more).toEqual([]);
      const isRefused = answered instanceof OpenAI.APIError && answered.status === 502;
      if (isRefused) expect(answered.message).toContain('Nothing was charged');
      // Role and reasoning come before the first word.
      expect([after, isRefused, end === 'release']).toEqual([after, after <= 2, after <= 2]);
    }
    const taken = kept.flatMap(({ ends }) => ends.map((end) => (end === 'release' ? 0 : end.cost)));
    expect(balances.ada).toBe(100_000 - taken.reduce((sum, cost) => sum + cost, 0));
  },
);

it('charges nothing for a whole answer that breaks', async () => {
  const { client, play, kept } = await aCaller();
  play({ ...SCENE, fault: { kind: 'cut', after: 5 } });
  await expect(client.chat.completions.create({ model: 'small', messages })).rejects.toThrow(
    'Nothing was charged',
  );
  expect(kept[0]?.ends).toEqual(['release']);
});

it('stops the upstream if the caller leaves at any event, and charges what was streamed', async () => {
  const { client, kept, play, upstream } = await aCaller();
  const all = eventsOf(SCENE).length;
  for (let after = 0; after < all; after += 1) {
    play({ ...SCENE, fault: { kind: 'stall', after } });
    const controller = new AbortController();
    const asking = client.chat.completions
      .create({ model: 'small', messages, stream: true }, { signal: controller.signal })
      .then(async (stream) => {
        for await (const _ of stream);
      });
    await vi.waitFor(() => expect(upstream.asked[after]?.sent).toBe(after), { interval: 1 });
    controller.abort();
    await asking.catch(() => undefined);
    await vi.waitFor(() => expect(kept[after]?.ends).toMatchObject([{ units: {} }]), { interval: 1 });
    await vi.waitFor(() => expect(upstream.asked[after]?.isLeft).toBe(true), { interval: 1 });
  }
  expect(kept.map(({ ends }) => ends.length)).toEqual(Array(all).fill(1));
});

it('estimates what the upstream forgets to count, and says so', async () => {
  const { ask, kept, play } = await aCaller();
  play({ ...SCENE, usage: null });
  expect((await ask()).billing).toMatchObject({ estimated: true });
  expect(kept[0]?.ends).toMatchObject([{ label: 'small, estimated' }]);
});

it.each([1_000_000, 1e15])(
  'charges no more than it held if the upstream counts %d tokens',
  async (output) => {
    const { ask, play, kept } = await aCaller();
    play({ ...SCENE, usage: { ...USAGE, output } });
    const [answered, hold] = [await ask(), kept[0]];
    expect(answered.billing).toMatchObject({ credits: hold?.cost });
    expect(hold?.ends).toMatchObject([{ amount: hold?.cost, label: 'small, capped' }]);
  },
);

it('charges nothing if the upstream refuses or floods, and passes on none of its words', async () => {
  const { ask, play, kept } = await aCaller();
  const faults: readonly (readonly [Fault, number])[] = [
    [{ kind: 'status', status: 429, retryAfter: 7 }, 429],
    [{ kind: 'status', status: 500 }, 502],
    [{ kind: 'status', status: 401 }, 502],
    [{ kind: 'status', status: 400 }, 400],
    [{ kind: 'flood', after: 0 }, 502],
  ];
  for (const [fault, status] of faults) {
    play({ ...SCENE, fault });
    const error = await ask().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status, message: expect.stringContaining('Nothing was charged') });
    if (error instanceof OpenAI.RateLimitError) expect(error.headers.get('retry-after')).toBe('7');
    expect(String(error)).not.toContain('stand-in');
  }
  expect(kept.map(({ ends }) => ends)).toEqual(faults.map(() => ['release']));
});

it('breaks off if the upstream is silent, or the call takes too long', async () => {
  // Long enough for a busy machine to stream five events, and an hour for the other limit.
  const [SHORT, LONG] = [1_000, 3_600_000];
  const limits = [
    { idleMs: SHORT, callMs: LONG },
    { idleMs: LONG, callMs: SHORT },
  ];
  const breakOff = (after: number) =>
    Promise.all(
      limits.map(async (limit) => {
        const { ask, play, kept } = await aCaller(1_000, limit);
        play({ ...SCENE, fault: { kind: 'stall', after } });
        const thrown = await ask().catch((error: unknown) => error);
        return [String(thrown), kept[0]?.ends[0] === 'release'];
      }),
    );
  const [early, late] = await Promise.all([breakOff(0), breakOff(5)]);
  expect(early).toEqual(Array(2).fill([expect.stringContaining('before its answer began'), true]));
  expect(late).toEqual(Array(2).fill([expect.stringContaining('in the middle'), false]));
});

it('reads only as fast as its caller', async () => {
  const { client, play, upstream, kept } = await aCaller();
  play({ ...SCENE, text: Array.from({ length: 2_000 }, () => 'x'.repeat(20_000)) });
  const { body } = await client.chat.completions
    .create({ model: 'small', messages, stream: true })
    .asResponse();
  let [before, still] = [0, 0];
  // The caller doesn't read, so the stream comes to rest. A busy machine pauses for a moment too.
  await vi.waitFor(
    () => {
      const now = upstream.asked[0]?.sent ?? 0;
      still = now > 0 && now === before ? still + 1 : 0;
      before = now;
      expect(still).toBe(5);
    },
    { interval: 30, timeout: 20_000 },
  );
  expect(kept[0]?.ends).toEqual([]);
  expect(before).toBeLessThan(1_500);
  await body?.cancel();
  await vi.waitFor(() => expect(kept[0]?.ends).toHaveLength(1));
});

it('refuses in words that OpenAI’s package throws, before anything is held', async () => {
  const { client, ask, kept, upstream, baseURL } = await aCaller(10);
  await expect(ask()).rejects.toMatchObject({
    status: 402,
    code: 'credits_exhausted',
    type: 'insufficient_quota',
    message: expect.stringContaining('You have 10.'),
  });
  await expect(ask('enormous')).rejects.toThrow(/no model "enormous". Available models: small, long/);
  await expect(ask('small', 'x'.repeat(100_000))).rejects.toMatchObject({ code: 'context_length_exceeded' });
  await expect(ask('small', 'x'.repeat(300_000))).rejects.toMatchObject({ status: 413 });
  const tools = [{ type: 'function' as const, function: { name: 'f' } }];
  await expect(client.chat.completions.create({ model: 'small', messages, tools })).rejects.toThrow(
    /"tools" is not supported/,
  );
  const stranger = new OpenAI({ apiKey: 'nobody', baseURL, maxRetries: 0 });
  await expect(askFor(stranger)).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  expect([kept, upstream.asked]).toEqual([[], []]);
});

it('asks no model while the billing service is down', async () => {
  const { ask, failures, upstream } = await aCaller();
  for (const what of ['verifyUser', 'hold'] as const) {
    failures.set(what, new Error('unreachable'));
    await expect(ask()).rejects.toMatchObject({ status: 503, code: 'billing_unavailable' });
    failures.clear();
  }
  expect(upstream.asked).toEqual([]);
});

it('answers even if the settle fails, with a receipt that has no price', async () => {
  const { ask, failures, lines } = await aCaller();
  failures.set('settle', new Error('unreachable'));
  expect(await ask()).toMatchObject({ text: 'Grüße aus 東京.', billing: { credits: null, usage: USAGE } });
  expect(lines).toContainEqual(expect.objectContaining({ outcome: 'settle_failed' }));
});

it('logs nothing that was said', async () => {
  const { ask, lines } = await aCaller();
  await ask('small', 'a secret of mine');
  expect(lines).toMatchObject([
    { event: 'model_call', model: 'small', outcome: 'finished', counted: true, credits: COST },
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/secret|東京|ada|owner-key/);
});

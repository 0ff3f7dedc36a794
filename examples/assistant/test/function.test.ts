import OpenAI from 'openai';
import { describe, expect, it, vi } from 'vitest';
import type { Scene } from '../upstream/scene.ts';
import { eventsOf } from '../upstream/serve.ts';
import { costOf, fakeCharging, HOLD, PER } from './fake-charging.ts';
import { askFor, serveAssistant } from './serve.ts';

const USAGE = { input: 210, cached: 340, output: 80, reasoning: 130 };
const SCENE: Scene = { text: ['Grüße', ' aus', ' 東京', '.'], usage: USAGE };
const MODEL_OF = { openai: 'small', anthropic: 'balanced', gemini: 'long' } as const;
const FORMATS = ['openai', 'anthropic', 'gemini'] as const;
const rate = (per: number) => ({ credits: 1, per });
const PRICE = {
  hold: HOLD,
  rates: {
    input: rate(PER.input),
    cached: rate(PER.cached),
    output: rate(PER.output),
    reasoning: rate(PER.reasoning),
  },
  costOf,
};

/** A user with credits, and the function before the stand-in. */
async function aCaller(credits = 1_000, more: Parameters<typeof serveAssistant>[2] = {}) {
  const fake = fakeCharging({ ada: credits });
  const served = await serveAssistant(fake.charging, PRICE, more);
  served.play(SCENE);
  const client = served.client('ada');
  return {
    ...fake,
    ...served,
    client,
    ask: (model?: string, content?: string) => askFor(client, model, content),
  };
}

describe.each(FORMATS)('a call that streams from %s', (format) => {
  const model = MODEL_OF[format];

  it('comes through the package of OpenAI unchanged, and costs what the upstream counted', async () => {
    const { ask, kept, balances } = await aCaller();
    expect(await ask(model)).toMatchObject({
      ...{ text: 'Grüße aus 東京.', finish: 'stop' },
      usage: { prompt_tokens: 550, completion_tokens: 210, prompt_tokens_details: { cached_tokens: 340 } },
      billing: { credits: costOf(USAGE), usage: USAGE, estimated: false, balance: 1_000 - costOf(USAGE) },
    });
    expect(kept).toMatchObject([{ ends: [{ kind: 'settle', units: USAGE, label: model }] }]);
    expect(balances.ada).toBe(1_000 - costOf(USAGE));
  });

  it('may be asked for whole', async () => {
    const { client, kept } = await aCaller();
    const messages = [{ role: 'user' as const, content: 'Hello' }];
    const { choices, usage } = await client.chat.completions.create({ model, messages });
    expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'Grüße aus 東京.' } });
    expect(usage?.total_tokens).toBe(760);
    expect(kept[0]?.ends).toHaveLength(1);
  });

  it.each(['cut', 'error'] as const)(
    'with a %s after every event ends in one settle or one release',
    async (kind) => {
      const { ask, kept, play, balances } = await aCaller(100_000);
      const all = eventsOf(format, SCENE).length;
      for (let after = 0; after <= all; after += 1) {
        play({ ...SCENE, fault: { kind, after } });
        const began = kept.length;
        const answered = await ask(model).catch((error: unknown) => error);
        const [end, ...more] = kept[began]?.ends ?? [];
        expect(more).toEqual([]);
        if (answered instanceof OpenAI.APIError && answered.status === 502) {
          expect(end).toEqual({ kind: 'release' });
          expect(answered.message).toContain('Nothing was charged');
        } else {
          expect(end).toMatchObject({ kind: 'settle' });
        }
      }
      const taken = kept.flatMap(({ ends }) => ends.map((end) => (end.kind === 'settle' ? end.cost : 0)));
      expect(balances.ada).toBe(100_000 - taken.reduce((sum, cost) => sum + cost, 0));
      // Cut before the first word, and after the last one.
      expect(new Set(kept.map(({ ends }) => ends[0]?.kind))).toEqual(new Set(['release', 'settle']));
    },
  );

  it('whose caller leaves at any event stops the upstream, and costs what was streamed', async () => {
    const { client, kept, play, upstream } = await aCaller(100_000);
    const all = eventsOf(format, SCENE).length;
    for (let after = 0; after < all; after += 1) {
      play({ ...SCENE, fault: { kind: 'stall', after } });
      const controller = new AbortController();
      const messages = [{ role: 'user' as const, content: 'Hello' }];
      const asking = client.chat.completions
        .create({ model, messages, stream: true }, { signal: controller.signal })
        .then(async (stream) => {
          for await (const _ of stream);
        });
      await vi.waitFor(() => expect(upstream.asked[after]?.sent).toBe(after), { interval: 1 });
      controller.abort();
      await asking.catch(() => undefined);
      await vi.waitFor(() => expect(kept[after]?.ends).toHaveLength(1), { interval: 1 });
      expect(kept[after]?.ends).toMatchObject([{ kind: 'settle' }]);
      await vi.waitFor(() => expect(upstream.asked[after]?.isLeft).toBe(true), { interval: 1 });
    }
    expect(kept.map(({ ends }) => ends.length)).toEqual(Array(all).fill(1));
  });

  it('whose upstream forgets to count is estimated, and says so', async () => {
    const { ask, kept, play } = await aCaller();
    play({ ...SCENE, usage: null });
    expect((await ask(model)).billing).toMatchObject({ estimated: true });
    expect(kept[0]?.ends).toMatchObject([{ kind: 'settle', label: `${model}, estimated` }]);
  });

  it('is refused by the upstream for nothing', async () => {
    const { ask, play, kept, balances } = await aCaller();
    for (const [status, answered] of [
      [429, 429],
      [500, 502],
      [401, 502],
      [400, 400],
    ] as const) {
      play({ ...SCENE, fault: { kind: 'status', status, retryAfter: 7 } });
      const error = await ask(model).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        status: answered,
        message: expect.stringContaining('Nothing was charged'),
      });
      if (error instanceof OpenAI.RateLimitError) expect(error.headers.get('retry-after')).toBe('7');
      // Nothing of the upstream's own words.
      expect(String(error)).not.toContain('stand-in');
    }
    expect(kept.map(({ ends }) => ends)).toEqual(Array(4).fill([{ kind: 'release' }]));
    expect(balances.ada).toBe(1_000);
  });
});

describe('a call', () => {
  it('is asked of the upstream with the owner’s key, model and limit, and nothing of the caller’s', async () => {
    const { client, upstream } = await aCaller();
    await client.chat.completions.create({
      model: 'small',
      messages: [
        { role: 'developer', content: 'Be short.' },
        { role: 'user', content: 'Hello' },
      ],
      max_completion_tokens: 1_000_000,
      temperature: 0.5,
    });
    const [asked] = upstream.asked;
    expect(asked?.headers.authorization).toBe('Bearer owner-key');
    expect(asked?.body).toEqual({
      ...{ model: 'gpt-5-mini', max_completion_tokens: 1_024, temperature: 0.5 },
      ...{ stream: true, stream_options: { include_usage: true } },
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'Hello' },
      ],
    });
  });

  it('holds less where less is asked for', async () => {
    const { client, kept } = await aCaller();
    const ask = (most: number) =>
      client.chat.completions.create({
        ...{ model: 'small', max_tokens: most },
        messages: [{ role: 'user', content: 'Hello' }],
      });
    await ask(1_000);
    await ask(100);
    expect((kept[0]?.cost ?? 0) - (kept[1]?.cost ?? 0)).toBe(900 / PER.output);
  });

  it('comes through the SDK’s own helper for streams, too', async () => {
    const { client } = await aCaller();
    const messages = [{ role: 'user' as const, content: 'Hello' }];
    const { choices, usage } = await client.chat.completions
      .stream({ model: 'small', messages, stream_options: { include_usage: true } })
      .finalChatCompletion();
    expect(choices[0]?.message.content).toBe('Grüße aus 東京.');
    expect(usage?.total_tokens).toBe(760);
  });

  it('is refused in words that the SDK throws', async () => {
    const { client, ask, kept, baseURL, upstream } = await aCaller(10);
    await expect(ask()).rejects.toMatchObject({
      status: 402,
      code: 'credits_exhausted',
      type: 'insufficient_quota',
    });
    await expect(ask()).rejects.toThrow(/10 can be spent/);
    await expect(ask('enormous')).rejects.toThrow(
      /There is no model "enormous" here. There are: small, balanced, long/,
    );
    await expect(ask('small', 'x'.repeat(100_000))).rejects.toMatchObject({
      code: 'context_length_exceeded',
    });
    await expect(ask('small', 'x'.repeat(300_000))).rejects.toMatchObject({ status: 413 });
    const tools = [{ type: 'function' as const, function: { name: 'f' } }];
    const messages = [{ role: 'user' as const, content: 'Hello' }];
    await expect(client.chat.completions.create({ model: 'small', messages, tools })).rejects.toThrow(
      /"tools" is not taken/,
    );
    const stranger = new OpenAI({ apiKey: 'nobody', baseURL, maxRetries: 0 });
    await expect(askFor(stranger)).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    expect([kept, upstream.asked]).toEqual([[], []]);
  });

  it('is not made while the billing service does not answer', async () => {
    const { ask, failures, upstream } = await aCaller();
    for (const what of ['verifyUser', 'hold'] as const) {
      failures.set(what, new Error('unreachable'));
      await expect(ask()).rejects.toMatchObject({ status: 503, code: 'billing_unavailable' });
      failures.clear();
    }
    expect(upstream.asked).toEqual([]);
  });

  it('is answered though its settle fails: the receipt says that nothing is known', async () => {
    const { ask, failures, lines } = await aCaller();
    failures.set('settle', new Error('unreachable'));
    expect(await ask()).toMatchObject({ text: 'Grüße aus 東京.', billing: { credits: null, usage: USAGE } });
    expect(lines).toContainEqual(expect.objectContaining({ outcome: 'settle_failed' }));
  });

  it.each([1_000_000, 1e15])('costs what was held, though the upstream counts %d tokens', async (output) => {
    const { ask, play, kept } = await aCaller();
    play({ ...SCENE, usage: { ...USAGE, output } });
    expect((await ask()).billing).toMatchObject({ credits: kept[0]?.cost });
    expect(kept[0]?.ends).toMatchObject([{ amount: kept[0]?.cost, label: 'small, capped' }]);
  });

  it('is broken off where the upstream says nothing for too long, or the call takes too long', async () => {
    // Long enough for a busy machine to stream three events, and an hour for what is not looked at.
    const [SHORT, LONG] = [1_000, 3_600_000];
    const breakOff = async (limits: { readonly idleMs: number; readonly callMs: number }, after: number) => {
      const { ask, play, kept } = await aCaller(1_000, limits);
      play({ ...SCENE, fault: { kind: 'stall', after } });
      const thrown = await ask().catch((error: unknown) => error);
      return [String(thrown), kept[0]?.ends[0]?.kind];
    };
    const limits = [
      { idleMs: SHORT, callMs: LONG },
      { idleMs: LONG, callMs: SHORT },
    ];
    const early = await Promise.all(limits.map((limit) => breakOff(limit, 0)));
    expect(early).toEqual(Array(2).fill([expect.stringContaining('before its first word'), 'release']));
    const late = await Promise.all(limits.map((limit) => breakOff(limit, 3)));
    expect(late).toEqual(Array(2).fill([expect.stringContaining('in the middle'), 'settle']));
  });

  it('reads on only as fast as its caller does', async () => {
    const { client, play, upstream, kept } = await aCaller(100_000);
    play({ ...SCENE, text: Array.from({ length: 2_000 }, () => 'x'.repeat(20_000)) });
    const { body } = await client.chat.completions
      .create({ model: 'small', messages: [{ role: 'user', content: 'Hello' }], stream: true })
      .asResponse();
    let [before, still] = [0, 0];
    // Nobody reads, so that it comes to a standstill; a busy machine stands still for a moment, too.
    await vi.waitFor(
      () => {
        const now = upstream.asked[0]?.sent ?? 0;
        still = now > 0 && now === before ? still + 1 : 0;
        before = now;
        expect(still).toBe(5);
      },
      { interval: 30, timeout: 20_000 },
    );
    expect(before).toBeLessThan(1_500);
    await body?.cancel();
    await vi.waitFor(() => expect(kept[0]?.ends).toHaveLength(1));
  });

  it('leaves nothing of what was said in the log', async () => {
    const { ask, lines } = await aCaller();
    await ask('small', 'a secret of mine');
    expect(lines).toMatchObject([
      { event: 'model_call', model: 'small', outcome: 'finished', counted: true },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/secret|東京|ada|owner-key/);
  });
});

it('lists its models, with what a page needs for an estimate', async () => {
  const { client } = await aCaller();
  const { data } = await client.models.list();
  expect(data[0]).toMatchObject({
    id: 'small',
    billing: { maxOutput: 1_024, hold: HOLD, rates: PRICE.rates },
  });
});

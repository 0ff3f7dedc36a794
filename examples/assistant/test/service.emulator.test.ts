import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import type { CollectionReference } from 'firebase-admin/firestore';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { auth, firestore } from '../../../functions/test/app/emulated-user.ts';
import { packBought } from '../../../functions/test/factories/provider-events.ts';
import { aUser, deliver } from '../../../functions/test/fixtures/service.ts';
import { createBilling } from '../../../packages/server/src/exports/in-process.ts';
import shipped from '../billing.config.ts';
import { boundsOf, costOf, dearestOf, priceIn, type Usage } from '../function/cost.ts';
import { MODELS } from '../function/models.ts';
import { eventsOf, type Scene } from '../function/stand-in.ts';
import { askFor, type Served, serveAssistant } from './serve.ts';

// The assistant with the real service in its process, on the emulators.

/** A long run: `ASSISTANT_RUNS=2000 npx vitest run --project emulator examples/assistant`. */
const RUNS = Number(process.env.ASSISTANT_RUNS ?? 25);
/** No free credits: a user has what was bought. */
const catalog = { ...shipped, free: null };
const price = priceIn(catalog.features, 'chat');
const USAGE = { input: 210, cached: 340, output: 180, reasoning: 130 };
const SCENE: Scene = { text: ['Grüße', ' aus', ' 東京', '.'], usage: USAGE };
/** What one question of "Hello" holds. */
const heldBy = (model: string) =>
  costOf(price, dearestOf(boundsOf([{ role: 'user', text: 'Hello' }], MODELS[model]?.maxOutput ?? 0), price));

let served: Served;
const closing: Array<() => Promise<void>> = [];
beforeAll(async () => {
  const billing = createBilling({ firestore, auth, catalog, name: 'assistant' });
  served = await serveAssistant(billing, price, {}, (close) => closing.push(close));
});
afterAll(() => Promise.all(closing.map((close) => close())));

/** A signed-in user with pack credits, and the package of OpenAI with their ID token as its key. */
async function aBuyer(credits: number) {
  const user = await aUser();
  await deliver(packBought(user, credits));
  const client = served.client(user.idToken);
  const spent = async () => credits - (await user.credits()).packs;
  const ends = async () => {
    const ledger = firestore.collection(`customers/${user.uid}/credit_ledger`) as CollectionReference;
    const entries = (await ledger.get()).docs.map((doc) => ({ id: doc.id, ...doc.data() }));
    const named = (prefix: string) => entries.filter(({ id }) => id.startsWith(prefix));
    return { holds: named('reserve_').length, ends: named('settle_') as readonly Record<string, unknown>[] };
  };
  return { ...user, client, spent, ends, ask: (model?: string) => askFor(client, model) };
}

describe('a model call on the real service', () => {
  it('takes what the upstream counted, at the catalogue’s rates, rounded up once', async () => {
    const user = await aBuyer(100_000);
    const tokens = (most: number) => fc.nat(most);
    const usages = fc.record({
      ...{ input: tokens(9_000), cached: tokens(9_000), output: tokens(900), reasoning: tokens(900) },
    });
    let expected = 0;
    await fc.assert(
      fc.asyncProperty(usages, fc.constantFrom(...Object.keys(MODELS)), async (usage: Usage, model) => {
        served.play({ ...SCENE, usage });
        const { billing } = await user.ask(model);
        const exact = (usage.input * 10 + usage.cached + usage.output * 40 + usage.reasoning * 40) / 10_000;
        const cost = Math.min(Math.ceil(exact), heldBy(model));
        expect(billing).toMatchObject({ credits: cost, usage, estimated: false });
        expected += cost;
        expect(billing?.balance).toBe(100_000 - expected);
      }),
      { numRuns: RUNS },
    );
    expect(await user.spent()).toBe(expected);
  });

  it('leaves a receipt that the usage page shows', async () => {
    const user = await aBuyer(100);
    served.play(SCENE);
    await user.ask('long');
    const { body } = await user.usage({});
    expect(JSON.stringify(body)).toContain('"label":"long"');
    const { ends } = await user.ends();
    expect(ends).toMatchObject([
      {
        kind: 'confirm',
        by: 'process:assistant',
        receipt: {
          label: 'long',
          lines: Object.entries(USAGE).map(([unit, quantity]) => ({ unit, quantity })),
        },
      },
    ]);
  });

  it('runs once if 50 start at once on a balance for one', async () => {
    const user = await aBuyer(heldBy('small'));
    const before = served.upstream.asked.length;
    let refusals = 0;
    let end = () => {};
    // The first call ends, and frees what it didn't use, only after all others were refused.
    const until = new Promise<void>((resolve) => {
      end = resolve;
    });
    served.play({ ...SCENE, until });
    const answers = await Promise.allSettled(
      Array.from({ length: 50 }, () =>
        user.ask().finally(() => {
          refusals += 1;
          if (refusals === 49) end();
        }),
      ),
    );
    const refused = answers.filter((answer) => answer.status === 'rejected');
    expect(refused.map(({ reason }) => (reason instanceof OpenAI.APIError ? reason.status : reason))).toEqual(
      Array(49).fill(402),
    );
    expect(served.upstream.asked.length - before).toBe(1);
    expect(await user.spent()).toBe(costOf(price, USAGE));
    expect((await user.ends()).ends).toHaveLength(1);
  });

  it('cut at every event ends once each, and adds up', async () => {
    const user = await aBuyer(1_000);
    const cuts = Array.from({ length: eventsOf(SCENE).length + 1 }, (_, after) => after);
    let taken = 0;
    for (const after of cuts) {
      served.play({ ...SCENE, fault: { kind: 'cut', after } });
      const answered = await user.ask().catch((error: unknown) => error);
      taken += receiptIn(answered);
    }
    const { holds, ends } = await user.ends();
    expect([holds, ends.length]).toEqual([cuts.length, cuts.length]);
    expect(new Set(ends.map(({ kind }) => kind))).toEqual(new Set(['confirm', 'release']));
    expect(await user.spent()).toBe(taken);
    expect((await user.record())?.creditHolds ?? []).toEqual([]);
  });

  it('costs what was streamed if its caller leaves', async () => {
    const user = await aBuyer(1_000);
    served.play({ ...SCENE, fault: { kind: 'stall', after: 3 } });
    const messages = [{ role: 'user' as const, content: 'Hello' }];
    const stream = await user.client.chat.completions.create({ model: 'small', messages, stream: true });
    for await (const { choices } of stream) if (choices[0]?.delta.content === ' aus') break;
    await vi.waitFor(async () => expect((await user.ends()).ends).toHaveLength(1));
    const { ends } = await user.ends();
    expect(ends).toMatchObject([{ kind: 'confirm', receipt: { label: 'small, estimated' } }]);
    // 5 bytes of "Hello", 11 of "Grüße aus", and the model's hidden reasoning.
    const estimated = { input: 2 + 4, cached: 0, output: 4, reasoning: MODELS.small?.hiddenReasoning ?? 0 };
    expect(await user.spent()).toBe(costOf(price, estimated));
  });

  it('frees its hold if the function is killed', async () => {
    const user = await aBuyer(1_000);
    const { baseURL, child } = await localFunction();
    const client = new OpenAI({ apiKey: user.idToken, baseURL, maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'Hello' }];
    const stream = await client.chat.completions.create({ model: 'small', messages, stream: true });
    const leave = async () => {
      for await (const _ of stream) child.kill('SIGKILL');
    };
    await expect(leave()).rejects.toThrow();
    const held = (await user.record())?.creditHolds as readonly Record<string, { toMillis(): number }>[];
    expect(held).toHaveLength(1);
    // Five minutes, then the credits are free without a write.
    const expiresAt = held[0]?.expiresAt?.toMillis() ?? 0;
    expect(Math.abs(expiresAt - Date.now() - 300_000)).toBeLessThan(30_000);
    expect(await user.spent()).toBe(0);
    expect(await user.ends()).toEqual({ holds: 1, ends: [] });
  });
});

/** Returns the credits in an answer's receipt, or in that of a failure in the middle of one. */
function receiptIn(answered: unknown): number {
  const body = answered instanceof OpenAI.APIError ? answered.error : answered;
  const billing = (body as { readonly billing?: { readonly credits?: number } } | undefined)?.billing;
  return billing?.credits ?? 0;
}

/** Runs the function as the README does, with its own stand-in, in a process that can be killed. */
async function localFunction(): Promise<{ readonly baseURL: string; readonly child: ChildProcess }> {
  const file = fileURLToPath(new URL('../function/local.ts', import.meta.url));
  const env = { ...process.env, ASSISTANT_PORT: '0' };
  const child = spawn(process.execPath, ['--conditions=extension-billing-source', file], { env });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  child.stderr.pipe(process.stderr);
  const baseURL = await vi.waitFor(
    () => {
      if (child.exitCode !== null) throw new Error(`the function ended with ${child.exitCode}`);
      const [address] = /http:\S+(?= now)/.exec(said) ?? [];
      if (address === undefined) throw new Error('the function does not listen yet');
      return address;
    },
    { timeout: 30_000, interval: 20 },
  );
  return { baseURL, child };
}

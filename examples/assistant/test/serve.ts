import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MAX_QUANTITY } from '@extension-billing/contract/measured';
import type { Ended, Hold, Measured } from '@extension-billing/server';
import OpenAI from 'openai';
import { onTestFinished } from 'vitest';
import { withCreditsOf } from '../../../packages/server/src/with-credits.ts';
import type { Assistant } from '../function/call.ts';
import { costOf, type Price, type Usage } from '../function/cost.ts';
import { createHandler } from '../function/handler.ts';
import { MODELS } from '../function/models.ts';
import { type Asked, type Scene, type StandIn, startStandIn } from '../function/stand-in.ts';
import { createUpstream } from '../function/upstream.ts';

export interface Served {
  /** OpenAI's `baseURL`. */
  readonly baseURL: string;
  readonly upstream: StandIn;
  /** What the next calls get. */
  play(scene: Scene): void;
  client(token: string): OpenAI;
  readonly lines: Array<Readonly<Record<string, unknown>>>;
}

/** Serves the function, with the stand-in behind it, until the test or the file ends. */
export async function serveAssistant(
  billing: Assistant['billing'],
  price: Price,
  { idleMs = 5_000, callMs = 20_000 } = {},
  finished: (close: () => Promise<void>) => void = onTestFinished,
): Promise<Served> {
  let sceneOf: (asked: Asked) => Scene = () => ({ text: ['Hello'], usage: null });
  const upstream = await startStandIn((asked) => sceneOf(asked));
  const lines: Served['lines'] = [];
  const server = createServer(
    createHandler({
      ...{ billing, models: MODELS, priceOf: () => price, callMs },
      upstream: createUpstream({ baseURL: upstream.url, apiKey: 'owner-key', idleMs }),
      log: (line) => lines.push(line),
    }),
  );
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  finished(async () => {
    server.closeAllConnections();
    server.close();
    await upstream.close();
  });
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return {
    ...{ baseURL, upstream, lines },
    play(scene) {
      sceneOf = () => scene;
    },
    client: (apiKey) => new OpenAI({ apiKey, baseURL, maxRetries: 0 }),
  };
}

export interface Answered {
  readonly text: string;
  readonly finish: string | null;
  readonly usage: OpenAI.CompletionUsage | null;
  readonly billing: Readonly<Record<string, unknown>> | null;
}

/** Streams an answer through OpenAI's package. */
export async function askFor(client: OpenAI, model = 'small', content = 'Hello'): Promise<Answered> {
  const stream = await client.chat.completions.create({
    model,
    messages: [{ role: 'user', content }],
    stream: true,
    stream_options: { include_usage: true },
  });
  let answered: Answered = { text: '', finish: null, usage: null, billing: null };
  for await (const chunk of stream) {
    const [choice] = chunk.choices;
    answered = {
      text: answered.text + (choice?.delta.content ?? ''),
      finish: choice?.finish_reason ?? answered.finish,
      usage: chunk.usage ?? answered.usage,
      billing: 'billing' in chunk ? (chunk.billing as Answered['billing']) : answered.billing,
    };
  }
  return answered;
}

/** What became of a hold. */
export interface Kept {
  readonly cost: number;
  readonly ends: Array<'release' | ({ readonly cost: number } & Measured)>;
}

/** Holds in memory under the real `withCredits`. A user's token is their uid. */
export function fakeBilling(price: Price, balances: Record<string, number>) {
  const kept: Kept[] = [];
  /** What the service throws instead of its next answers. */
  const failures = new Map<'hold' | 'settle' | 'verifyUser', Error>();
  const failing = (what: 'hold' | 'settle' | 'verifyUser'): void => {
    const failure = failures.get(what);
    if (failure !== undefined) throw failure;
  };
  const billing: Assistant['billing'] = {
    async verifyUser(idToken) {
      failing('verifyUser');
      return Object.hasOwn(balances, idToken) ? idToken : null;
    },
    withCredits: withCreditsOf(async (uid, _feature, { units, key = '' }) => {
      failing('hold');
      const cost = costOf(price, units as Usage);
      const held = balances[uid] ?? 0;
      if (cost > held) return { ok: false, reason: 'credits_exhausted', detail: 'No.', balance: held };
      const hold: Kept = { cost, ends: [] };
      kept.push(hold);
      balances[uid] = held - cost;
      const balancesOf = () => ({ balance: balances[uid] ?? 0, allowance: 0, packCredits: 0, updatedAt: 1 });
      const end = (taken: number): Ended => {
        balances[uid] = (balances[uid] ?? 0) + cost - taken;
        return { ok: true, ...balancesOf(), cost: taken, shortfall: 0, replayed: false };
      };
      return {
        ...{
          ok: true,
          ...balancesOf(),
          reservation: key,
          cost,
          expiresAt: 2_000_000_000_000,
          replayed: false,
        },
        async settle(measured) {
          failing('settle');
          const { amount, units: used = {} } = measured;
          if (Object.values(used).some((count) => count > MAX_QUANTITY)) throw new Error('No such units.');
          const taken = amount ?? costOf(price, used as Usage);
          if (taken > cost) return { ok: false, reason: 'amount_above_hold', detail: 'No.' };
          hold.ends.push({ cost: taken, ...measured });
          return end(taken);
        },
        confirm: () => Promise.reject(new Error('A call names what it used.')),
        async release() {
          hold.ends.push('release');
          return end(0);
        },
      } satisfies Hold;
    }),
  };
  return { billing, kept, balances, failures };
}

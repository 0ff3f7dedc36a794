import type { ConsumeResponse } from '@extension-billing/contract/api';
import type { StorageArea } from '../browser-storage.ts';
import type { ConsumeRequest, ConsumeResult } from '../messages.ts';
import { type ApiAnswer, type AskDeps, createAsk, isDecided } from './api.ts';
import { type CreditRepliesDeps, createCreditReplies, exhausted } from './credit-replies.ts';

type Consume = (request: ConsumeRequest) => Promise<ConsumeResult>;

/** What every request of credits works with. */
export interface SpendDeps extends AskDeps, CreditRepliesDeps {
  readonly uid: () => Promise<string | null>;
  /** The API is on this machine, so that it answers without a network too: then only a failed request means offline. */
  readonly apiIsLocal: boolean;
}
interface ConsumeDeps extends SpendDeps {
  readonly pending: PendingConsumes;
}

/**
 * Spends a feature's cost (specification, "Metering flow"). Denied at once when signed out or offline, and never
 * queued. A lost answer is asked for again under the same idempotency key within a bounded time, and only as long as
 * the user who asked is the one who is signed in.
 */
export function createConsume(deps: ConsumeDeps): Consume {
  const { pending, snapshot } = deps;
  const ask = createAsk(deps);
  const replies = createCreditReplies(deps);

  async function claimed(consume: Parameters<PendingConsumes['claim']>[0]): Promise<Claim> {
    const claim = await pending.claim(consume);
    // Who has signed out meanwhile leaves nothing behind. What is asked for them now is refused before it is sent.
    const uid = await deps.uid();
    if (uid !== consume.uid) await pending.forgetOthers(uid);
    return claim;
  }

  async function settled(
    uid: string,
    feature: string,
    idempotencyKey: string,
  ): Promise<ApiAnswer<ConsumeResponse>> {
    const answer = await ask<ConsumeResponse>({
      uid,
      path: '/credits/consume',
      body: { feature },
      idempotencyKey,
    });
    if (isDecided(answer)) await pending.settle(idempotencyKey);
    else pending.release(idempotencyKey);
    return answer;
  }

  return async ({ feature, requestId }) => {
    const uid = await deps.uid();
    if (uid === null) return replies.denied(null, 'signed_out');
    if (!deps.online() && !deps.apiIsLocal) return replies.denied(uid, 'offline');

    const consume = { uid, feature, ...(requestId === undefined ? {} : { requestId }) };
    const before = await snapshot.current();
    let claim = await claimed(consume);
    let answer = await settled(uid, feature, claim.key);
    while (claim.adopted && exhausted(answer) !== null) {
      // The earlier consume was refused. That answer is old: credits may have come since, so this one asks for itself.
      claim = await claimed({ uid, feature });
      answer = await settled(uid, feature, claim.key);
    }

    if (answer.kind === 'answered') return { ok: true, ...(await replies.granted(uid, answer.body)) };
    return replies.refused(uid, before, answer, ['unknown_feature', 'plan_required', 'free_ceiling_reached']);
  };
}

/** Key in `chrome.storage.session`, which pages and content scripts of others cannot read and a restart clears. */
const STORAGE_KEY = 'billingPendingConsumes';
/** A consume whose fate is unknown is remembered this long for its user to have what was paid for. */
const ORPHAN_LIVES_MS = 60 * 60_000;
/** A page that lost the worker before the answer asks again at once. */
const SETTLED_LIVES_MS = 2 * 60_000;

interface PendingConsume {
  readonly key: string;
  readonly uid: string;
  readonly feature: string;
  /** The page's name for its request; absent when it gave none. */
  readonly requestId?: string;
  readonly startedAt: number;
  readonly settledAt?: number;
}

interface Claim {
  readonly key: string;
  /** The key belongs to an earlier consume whose answer never reached its caller. */
  readonly adopted: boolean;
}

/**
 * The idempotency keys of consumes that are under way, kept where they outlive the worker. A consume that was cut off
 * (the worker killed, the answer lost) may or may not have been spent; the next one of the same user and feature
 * takes over its key, so that the server replays what it did instead of spending again. Nothing is sent unasked.
 */
interface PendingConsumes {
  /** A key for this consume, stored before it is returned. */
  claim(consume: { uid: string; feature: string; requestId?: string }): Promise<Claim>;
  /** The outcome is known. */
  settle(key: string): Promise<void>;
  /** The outcome is not known: the next consume of the same feature takes the key over. */
  release(key: string): void;
  /** Nothing stays of anybody but the user who is signed in now; null: nobody is. */
  forgetOthers(uid: string | null): Promise<void>;
}

interface PendingDeps {
  readonly area: Pick<StorageArea, 'get' | 'set'>;
  readonly now: () => number;
  readonly newKey: () => string;
}

export function createPendingConsumes({ area, now, newKey }: PendingDeps): PendingConsumes {
  /** Keys that a consume of this worker's life is using; all others in the storage lost theirs. */
  const inUse = new Set<string>();
  let queue: Promise<unknown> = Promise.resolve();

  /** One change at a time: read, decide, store. */
  function change<T>(step: (entries: readonly PendingConsume[]) => [PendingConsume[], T]): Promise<T> {
    const result = queue.then(async () => {
      const entries = parseEntries((await area.get(STORAGE_KEY))[STORAGE_KEY]).filter(isFresh);
      const [next, value] = step(entries);
      await area.set({ [STORAGE_KEY]: next });
      return value;
    });
    queue = result.catch(() => {});
    return result;
  }
  function isFresh({ startedAt, settledAt }: PendingConsume): boolean {
    return settledAt === undefined
      ? now() - startedAt < ORPHAN_LIVES_MS
      : now() - settledAt < SETTLED_LIVES_MS;
  }

  return {
    claim({ uid, feature, requestId }) {
      return change((entries) => {
        const same = entries.filter((entry) => entry.uid === uid && entry.feature === feature);
        const again =
          requestId === undefined ? undefined : same.find((entry) => entry.requestId === requestId);
        const orphan = same.find((entry) => entry.settledAt === undefined && !inUse.has(entry.key));
        const earlier = again ?? orphan;
        const entry: PendingConsume = {
          ...(earlier ?? { key: newKey(), uid, feature, startedAt: now() }),
          ...(requestId === undefined ? {} : { requestId }),
        };
        inUse.add(entry.key);
        const others = entries.filter(({ key }) => key !== entry.key);
        return [[...others, entry], { key: entry.key, adopted: earlier !== undefined }];
      });
    },
    async settle(key) {
      await change((entries) => [
        // Only a page that named its request can ask for it again.
        entries.flatMap((entry) => {
          if (entry.key !== key) return [entry];
          return entry.requestId === undefined ? [] : [{ ...entry, settledAt: now() }];
        }),
        undefined,
      ]);
      inUse.delete(key);
    },
    release(key) {
      inUse.delete(key);
    },
    forgetOthers: (uid) => change((entries) => [entries.filter((entry) => entry.uid === uid), undefined]),
  };
}

function parseEntries(value: unknown): PendingConsume[] {
  return Array.isArray(value) ? (value as PendingConsume[]) : [];
}

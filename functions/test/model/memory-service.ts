import { Timestamp } from 'firebase-admin/firestore';
import type { CreditCommand, DecisionOf, EndCommand } from '../../src/credits/commands.ts';
import { commitCredits, knownVersion } from '../../src/credits/commit.ts';
import { balancesAfter } from '../../src/credits/consume.ts';
import { versionSeal } from '../../src/credits/versions.ts';
import type { AppDeps } from '../../src/deps.ts';
import { commitEvent } from '../../src/events/apply.ts';
import { mirrorRights } from '../../src/events/claims.ts';
import { handleDelivery } from '../../src/events/webhook.ts';
import { Unavailable } from '../../src/http/answer.ts';
import { commitDerived } from '../../src/reconcile/user.ts';
import { parseUid, type Uid } from '../../src/store/documents.ts';
import { sellerOf } from '../../src/stripe/seal.ts';
import { translateEvent } from '../../src/stripe/translate.ts';
import { aConfig } from '../app/config.ts';
import { quietLog } from '../app/quiet-log.ts';
import { actOf, auditOf, carryOut, isByHand } from './by-hand.ts';
import { catalogOfNow } from './catalog.ts';
import type { Crash } from './delivery.ts';
import { importAgain } from './import-again.ts';
import { MemoryFirestore } from './memory-firestore.ts';
import type { ModelStripe } from './model-stripe.ts';
import { entryOf, recordOf } from './read-state.ts';
import type { Consumed, DelayableService, Delivered, Reserved, Settled, State } from './service.ts';

/** The end of the process: nothing catches it, as nothing can. */
class Killed extends Error {}

/** Firestore is unavailable, in gRPC's words. */
class Outage extends Error {
  readonly code = 14;
}

/** What its requests are written down as. */
const SERVICE = 'process:model';

/** Before anything in a history happens, so that nothing is over by the clock alone; between two whole seconds. */
const LONG_BEFORE = Date.UTC(2024, 10, 1, 0, 0, 0, 500);

/** The instances, by how far each one's clock is off: less than what parts an expiry from a tick. */
const CLOCKS_ARE_OFF = [0, 100, -100] as const;

/**
 * The service's own code, from a delivered event to the stored documents and the claim, on a Firestore in
 * memory. It can be killed at any call: the next arrival is then handled by a new process on the same data.
 */
export function memoryService(
  stripe: ModelStripe,
  database = new MemoryFirestore(),
  clock = (): number => LONG_BEFORE,
): DelayableService {
  const claims = new Map<string, { readonly paid?: boolean }>();
  /** The acts by hand, by their arrivals. */
  const acts = new Map<string, string>();
  let crash: Crash | null = null;
  let calls = 0;
  let wait = async (): Promise<void> => {};
  let passed = 0;
  const now = (): number => clock() + passed;
  /** They share the data and the provider, and nothing that they remember. Arrivals go to each in turn. */
  const instances = CLOCKS_ARE_OFF.map(newProcess);
  let turn = 0;

  function newProcess(isOff: number): AppDeps {
    return {
      firestore: database.connect(),
      auth: {
        getUser: (uid: string) => call(() => ({ uid, customClaims: claims.get(uid) })),
        setCustomUserClaims: (uid: string, after: object) => call(() => void claims.set(uid, after)),
        verifyIdToken: () => Promise.reject(new Error('the model signs nobody in')),
      } as unknown as AppDeps['auth'],
      stripe: stripe.stripe,
      now: () => now() + isOff,
      log: quietLog,
      catalog: () => catalogOfNow,
      catalogReady: async () => {},
      config: aConfig(),
    };
  }

  const { seal, open } = versionSeal(aConfig().webhookSecret);
  /** The versions that the answers brought, by user. */
  const carried = new Map<Uid, string[]>();

  /** The client sends back what the last answer brought it; in every fifth request what an earlier one did, or nothing. */
  async function commit<Command extends CreditCommand>(
    deps: AppDeps,
    uid: Uid,
    command: Command,
  ): Promise<DecisionOf<Command>> {
    const own = carried.get(uid) ?? [];
    const sent = turn % 5 === 0 ? own[(turn * 7) % (own.length + 1)] : own.at(-1);
    const known = sent === undefined ? null : open(uid, sent, deps.now());
    const decision = await commitCredits(deps.firestore, uid, command, deps.now(), null, known);
    const next = knownVersion(deps.firestore, uid, deps.now());
    const sealed = next && seal(uid, next, deps.now());
    if (sealed !== null) carried.set(uid, [...own, sealed]);
    return decision;
  }

  database.around = {
    before: async () => {
      endIf('before');
      await wait();
    },
    after: async () => {
      await wait();
      endIf('after');
      calls += 1;
    },
  };

  async function call<Result>(run: () => Result): Promise<Result> {
    endIf('before');
    const result = run();
    endIf('after');
    calls += 1;
    return result;
  }

  function endIf(when: Crash['when']): void {
    if (crash === null || crash.call !== calls || crash.when !== when) return;
    const { how } = crash;
    crash = null;
    throw how === 'kill' ? new Killed() : new Outage();
  }

  /** Runs it in the next instance. A failure is a 500, null here; a kill also takes the process with it. */
  async function inTurn<Result>(run: (deps: AppDeps) => Promise<Result>): Promise<Result | null> {
    const index = turn % instances.length;
    const isOff = CLOCKS_ARE_OFF[index] ?? 0;
    turn += 1;
    try {
      return await run(instances[index] ?? newProcess(isOff));
    } catch (error) {
      if (error instanceof Killed) instances[index] = newProcess(isOff);
      else if (!isOutage(error)) throw error;
      return null;
    }
  }

  return {
    crashAt(next) {
      crash = next;
      calls = 0;
    },

    delayBy(given) {
      wait = given;
    },

    pass(ms) {
      passed += ms;
    },

    async runAhead(uid, ms) {
      const ref = database.connect().doc(`customers/${uid}`);
      const known = (await ref.get()).get('updatedAt');
      if (known === undefined) return null;
      const at = Math.max(now() + ms, known.toMillis() + 1);
      await ref.update({ updatedAt: Timestamp.fromMillis(at) });
      return at;
    },

    removeExpired() {
      database.removeExpired(now());
    },
    now,

    async look(uid) {
      const looked = await inTurn(async (deps) => {
        await importAgain(deps, checkedUid(uid));
        await commitDerived(deps, checkedUid(uid), `look_${deps.now()}`, deps.now());
        await mirrorRights(deps, checkedUid(uid));
        return true;
      });
      if (looked !== true) throw new Error('the look failed');
    },

    async close(uid) {
      const closed = await inTurn(async (deps) => {
        const at = deps.now();
        const fact = { kind: 'account_closed', at } as const;
        const event = { id: `closed_${uid}`, type: 'account.closed', at, customer: null, fact };
        await commitEvent(deps, checkedUid(uid), event, at);
        await mirrorRights(deps, checkedUid(uid));
        return true;
      });
      if (closed !== true) throw new Error('the account was not closed');
    },

    async store(documents) {
      const instance = database.connect();
      for (const [path, data] of documents) await instance.doc(path).set(data);
    },

    async deliver(event): Promise<Delivered> {
      stripe.isStored = () => database.documents.has(`billing_events/${event.id}`);
      const outcome = await inTurn(async (deps): Promise<Delivered> => {
        try {
          if (isByHand(event)) {
            const { uid, ...act } = actOf(event);
            acts.set(event.id, act.act);
            const grantOf = (given: string) => auditOf(database.documents, given)?.grant ?? null;
            return await carryOut(deps, checkedUid(uid), act, grantOf);
          }
          return (await handleDelivery(deps, translateEvent(event, sellerOf(deps)))).outcome;
        } catch (error) {
          if (error instanceof Unavailable) return 'retry';
          throw error;
        }
      });
      return outcome ?? 'crashed';
    },

    consume: (uid, key, feature, cost) =>
      inTurn(async (deps): Promise<Consumed> => {
        const command = { kind: 'consume', key, feature, cost } as const;
        const decision = await commit(deps, checkedUid(uid), command);
        if (decision.kind === 'free') return { outcome: 'free', replayed: false, balance: null };
        if (!('entry' in decision)) throw new Error(`the model expects no ${decision.kind}`);
        const { kind, entry } = decision;
        return {
          outcome: entry.outcome,
          replayed: kind === 'replayed',
          balance: balancesAfter(entry).balance,
        };
      }),

    reserve: (uid, { key, feature, cost, lifetime, by }) =>
      inTurn(async (deps): Promise<Reserved> => {
        const named = by === 'service' ? ({ by: SERVICE, isNamed: true } as const) : {};
        const command = { kind: 'reserve', key, feature, cost, lifetime, ...named } as const;
        const decision = await commit(deps, checkedUid(uid), command);
        if (decision.kind === 'free') return { outcome: 'free', replayed: false, balance: null };
        if (!('entry' in decision)) throw new Error(`the model expects no ${decision.kind}`);
        const { kind, entry } = decision;
        return {
          outcome: entry.outcome,
          replayed: kind === 'replayed',
          balance: balancesAfter(entry).balance,
        };
      }),

    settle: (uid, { reservation, as, by, used = { amount: 0 } }) =>
      inTurn(async (deps): Promise<Settled> => {
        const asked = { reservation, ...(by === 'service' && { by: SERVICE }) };
        const { features } = catalogOfNow;
        const command: EndCommand =
          as === 'settle' ? { kind: as, measured: used, features, ...asked } : { kind: as, ...asked };
        const decision = await commit(deps, checkedUid(uid), command);
        if (decision.kind === 'unknown_unit')
          throw new Error('every settle but a user’s is for what is measured');
        if (!('entry' in decision)) return { outcome: decision.kind, replayed: false, balance: null };
        const { kind, entry } = decision;
        return { outcome: entry.kind, replayed: kind === 'replayed', balance: balancesAfter(entry).balance };
      }),

    state: async (uid): Promise<State> => storedIn(database, uid),
    isMarked: async (eventId) => {
      const act = acts.get(eventId);
      if (act !== undefined) return auditOf(database.documents, act) !== null;
      return database.documents.has(`billing_events/${eventId}`);
    },
    actOf: (eventId) => auditOf(database.documents, acts.get(eventId) ?? ''),
    paidClaim: async (uid) => claims.get(uid)?.paid,
  };
}

/** What a handler answers with a 500: an outage, or a document that others kept writing to. */
function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isFromFirestore = 'code' in error && (error.code === 10 || error.code === 14);
  return isFromFirestore || isOutage(error.cause);
}

/** Reads past the service, and past whatever is done to its calls. */
function storedIn(database: MemoryFirestore, uid: string): State {
  const record = database.documents.get(`customers/${uid}`)?.data;
  const prefix = `customers/${uid}/credit_ledger/`;
  const entries = [...database.documents].filter(([path]) => path.startsWith(prefix));
  return {
    record: record === undefined ? null : recordOf(record),
    ledger: new Map(entries.map(([path, { data }]) => [path.slice(prefix.length), entryOf(data)])),
  };
}

function checkedUid(text: string): Uid {
  const uid = parseUid(text);
  if (uid === null) throw new Error(`${text} is no uid`);
  return uid;
}

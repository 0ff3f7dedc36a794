import type { FreeCredits } from '@extension-billing/contract/catalog';
import { encodeRecord, readRecord } from '@extension-billing/contract/record';
import { type Firestore, Timestamp } from 'firebase-admin/firestore';
import { commitCredits } from '../../src/credits/commit.ts';
import { recordGiven } from '../../src/free/budget.ts';
import { ceilingOf } from '../../src/free/ceiling.ts';
import { shareOf } from '../../src/free/decide.ts';
import type { FreeAccess } from '../../src/free/give.ts';
import { type Claimant, claimantOf } from '../../src/free/identity.ts';
import { parseUid, toTimestamp, type Uid } from '../../src/store/documents.ts';
import { quietLog } from '../app/quiet-log.ts';
import { MemoryFirestore } from './memory-firestore.ts';

// People, their accounts and guests, and what they get for free: the service's own code on a Firestore in memory.

/** Firestore gives no answer, in gRPC's words. */
class Outage extends Error {
  readonly code = 14;
}

/** A precondition failed, in gRPC's words. */
class Retried extends Error {
  readonly code = 9;
}

export interface Account {
  readonly uid: string;
  /** Whose mailbox it signs in with, under an address of its own; null for a guest. */
  person: number | null;
}

export interface Answer {
  readonly kind: string;
  /** Free credits that it took. */
  readonly free: number;
}

const HELD_FOR = 3_600_000;
/** A settle may go so far beyond what is held. */
const FEATURES = { f: { overdraw: 4 } };
const START = Date.UTC(2026, 0, 31, 22);

/**
 * The call fails before it was carried out, or its answer is lost; `retried`: the client then sends a commit again by
 * itself, which meets what the first one wrote.
 */
export type Fails = 'before' | 'after' | 'retried';

type Spend =
  | { readonly kind: 'consume' | 'reserve'; readonly cost: number }
  | { readonly kind: 'confirm' | 'release' | 'settle'; readonly reservation: string; readonly used: number };

/** Several instances on one database, and a clock that only the world moves. */
export function freeWorld(begun: FreeCredits, instanceCount: number) {
  let free: FreeCredits | null = begun;
  const database = new MemoryFirestore();
  const instances = Array.from({ length: instanceCount }, () => database.connect());
  const accounts: Account[] = [];
  let keys = 0;
  let now = START;
  let failure: { calls: number; readonly when: Fails } | null = null;

  const failWhere = async (...now: readonly Fails[]): Promise<void> => {
    await Promise.resolve();
    if (failure === null) return;
    const { when } = failure;
    failure.calls -= now.includes(when) ? 1 : 0;
    if (failure.calls >= 0) return;
    failure = null;
    throw when === 'retried' ? new Retried() : new Outage();
  };
  database.around = {
    before: () => failWhere('before'),
    after: (call) => (call === 'commit' ? failWhere('after', 'retried') : failWhere('after')),
  };

  function accessOf(instance: number, { uid, person }: Account): FreeAccess | null {
    if (free === null) return null;
    const firestore = instances[instance % instances.length] ?? database.connect();
    const claimant: Claimant =
      person === null
        ? { kind: 'guest' }
        : claimantOf({ uid, email: `person${person}+${uid}@example.com`, email_verified: true });
    return {
      free,
      share: shareOf(free, claimant),
      ceiling: ceilingOf(firestore, quietLog),
    };
  }

  function decide(firestore: Firestore, uid: Uid, key: string, spend: Spend, access: FreeAccess | null) {
    switch (spend.kind) {
      case 'consume': {
        const command = { kind: 'consume', key, feature: 'f', cost: spend.cost } as const;
        return commitCredits(firestore, uid, command, now, access);
      }
      case 'reserve': {
        const { cost } = spend;
        const command = { kind: 'reserve', key, feature: 'f', cost, lifetime: HELD_FOR } as const;
        return commitCredits(firestore, uid, command, now, access);
      }
      case 'settle': {
        const { kind, reservation, used } = spend;
        const measured = { amount: used };
        const command = { kind, reservation, measured, features: FEATURES, by: 'process:model' } as const;
        return commitCredits(firestore, uid, command, now, access);
      }
      default: {
        const { kind, reservation } = spend;
        return commitCredits(firestore, uid, { kind, reservation }, now, access);
      }
    }
  }

  async function ask(account: Account, instance: number, spend: Spend): Promise<Answer & { key: string }> {
    const firestore = instances[instance % instances.length] ?? database.connect();
    const uid = parseUid(account.uid);
    if (uid === null) throw new Error(`${account.uid} is no uid`);
    const access = accessOf(instance, account);
    keys += 1;
    const key = `key${keys}`;
    try {
      const decision = await decide(firestore, uid, key, spend, access);
      const taken = 'entry' in decision ? -decision.entry.deltaAllowance : 0;
      return { kind: decision.kind, free: decision.kind === 'replayed' ? 0 : taken, key };
    } catch (error) {
      if (!isOutage(error)) throw error;
      return { kind: 'unavailable', free: 0, key };
    }
  }

  return {
    accounts,
    database,
    ask,
    now: () => now,
    /** The catalogue says something else from now on; null: no free credits. */
    publish(changed: FreeCredits | null): void {
      free = changed;
    },
    /** The documents of identities become as an earlier build wrote them. */
    age(): void {
      for (const [path, { data }] of database.documents) {
        if (path.startsWith('free_identities/')) delete data.until;
      }
    },
    pass(ms: number): void {
      now += ms;
    },
    /** The call after so many fails. */
    failAfter(calls: number, when: Fails): void {
      failure = { calls, when };
    },
    open(person: number | null): Account {
      const account = { uid: `uid${accounts.length}`, person };
      accounts.push(account);
      return account;
    },
    /** What the ledger says was spent of free credits: the only allowance that there is. */
    spends(): readonly {
      readonly uid: string;
      readonly credits: number;
      readonly at: number;
      readonly reservation: string;
    }[] {
      return [...database.documents].flatMap(([path, { data }]) => {
        const [, uid = '', folder] = path.split('/');
        const isSpend = folder === 'credit_ledger' && (data.kind === 'consume' || data.kind === 'confirm');
        const [, reservation = ''] = path.split('/settle_');
        const at = data.createdAt?.toMillis();
        return isSpend ? [{ uid, credits: -data.deltaAllowance, at, reservation }] : [];
      });
    },
    /** Pack credits, as an event would bring them, for an account that has a record. */
    gift(uid: string, credits: number): void {
      const path = `customers/${uid}`;
      const stored = database.documents.get(path);
      const record = readRecord(stored?.data);
      if (stored === undefined || record === null) return;
      const { creditsAllowance = 0, allowances = [] } = recordGiven(record, now);
      const packs = (record.packCreditsRemaining ?? 0) + credits;
      database.clock.version += 1;
      const { version } = database.clock;
      const fields = {
        creditsRemaining: creditsAllowance + packs,
        creditsAllowance,
        packCreditsRemaining: packs,
        ...(allowances.length > 0 && { allowances }),
      };
      const data = { ...stored.data, ...encodeRecord(fields, toTimestamp) };
      database.documents.set(path, { data, version });
      const deltaAllowance = creditsAllowance - (record.creditsAllowance ?? 0);
      const createdAt = Timestamp.fromMillis(now);
      const entry = { kind: 'grant', deltaAllowance, deltaPack: credits, createdAt };
      database.documents.set(`${path}/credit_ledger/grant_${version}`, { data: entry, version });
    },
    /** Free credits that a reservation was counted with. */
    freeHeld(uid: string, key: string): number {
      const holds = database.documents.get(`customers/${uid}`)?.data.creditHolds ?? [];
      return holds.find(({ reservation }: { reservation: string }) => reservation === key)?.free ?? 0;
    },
    /** Accounts whose record is not what their ledger adds up to. */
    torn(): readonly string[] {
      return accounts.flatMap(({ uid }) => {
        const record = database.documents.get(`customers/${uid}`)?.data;
        const prefix = `customers/${uid}/credit_ledger/`;
        const sum = [...database.documents]
          .filter(([path]) => path.startsWith(prefix))
          .reduce((total, [, { data }]) => total + data.deltaAllowance + data.deltaPack, 0);
        return (record?.creditsRemaining ?? 0) === sum ? [] : [uid];
      });
    },
  };
}

function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isFromFirestore = 'code' in error && (error.code === 10 || error.code === 14);
  return isFromFirestore || isOutage(error.cause);
}

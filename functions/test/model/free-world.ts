import type { FreeCredits } from '@extension-billing/contract/catalog';
import type { Firestore } from 'firebase-admin/firestore';
import { commitCredits } from '../../src/credits/commit.ts';
import { ceilingOf } from '../../src/free/ceiling.ts';
import { shareOf } from '../../src/free/decide.ts';
import type { FreeAccess } from '../../src/free/give.ts';
import { type Claimant, claimantOf } from '../../src/free/identity.ts';
import { parseUid, type Uid } from '../../src/store/documents.ts';
import { quietLog } from '../app/quiet-log.ts';
import { MemoryFirestore } from './memory-firestore.ts';

// People, their accounts and guests, and what they get for free: the service's own code on a Firestore in memory.

/** Firestore gives no answer, in gRPC's words. */
class Outage extends Error {
  readonly code = 14;
}

export interface Account {
  readonly uid: string;
  /** The mailbox that it signs in with; null for a guest. */
  person: number | null;
  lives: boolean;
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

type Spend =
  | { readonly kind: 'consume' | 'reserve'; readonly cost: number }
  | { readonly kind: 'confirm' | 'release' | 'settle'; readonly reservation: string; readonly used: number };

/** Several instances on one database, and a clock that only the world moves. */
export function freeWorld(free: FreeCredits, instanceCount: number) {
  const database = new MemoryFirestore();
  const instances = Array.from({ length: instanceCount }, () => database.connect());
  const accounts: Account[] = [];
  let keys = 0;
  let now = START;
  let failure: { calls: number; readonly when: 'before' | 'after' } | null = null;

  const failWhere = async (when: 'before' | 'after'): Promise<void> => {
    await Promise.resolve();
    if (failure === null) return;
    failure.calls -= when === failure.when ? 1 : 0;
    if (failure.calls >= 0) return;
    failure = null;
    throw new Outage();
  };
  database.around = { before: () => failWhere('before'), after: () => failWhere('after') };

  function accessOf(instance: number, { uid, person }: Account): FreeAccess {
    const firestore = instances[instance % instances.length] ?? database.connect();
    const claimant: Claimant =
      person === null
        ? { kind: 'guest' }
        : claimantOf({ uid, email: `person${person}@example.com`, email_verified: true });
    return {
      free,
      share: shareOf(free, claimant),
      ceiling: ceilingOf(firestore, quietLog),
      isGone: async (other) => accounts.find((account) => account.uid === other)?.lives !== true,
    };
  }

  function decide(firestore: Firestore, uid: Uid, key: string, spend: Spend, access: FreeAccess) {
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
    pass(ms: number): void {
      now += ms;
    },
    /** The call after so many fails, before it was carried out or after. */
    failAfter(calls: number, when: 'before' | 'after'): void {
      failure = { calls, when };
    },
    open(person: number | null): Account {
      const account = { uid: `uid${accounts.length}`, person, lives: true };
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
    /** Pack credits, as an event would bring them, for somebody who has a record. */
    gift(uid: string, credits: number): void {
      const path = `customers/${uid}`;
      const stored = database.documents.get(path);
      if (stored === undefined) return;
      const packs = stored.data.packCreditsRemaining + credits;
      database.clock.version += 1;
      const { version } = database.clock;
      const { creditsAllowance } = stored.data;
      const whole = {
        ...stored.data,
        creditsRemaining: creditsAllowance + packs,
        packCreditsRemaining: packs,
      };
      database.documents.set(path, { data: whole, version });
      const entry = { kind: 'grant', deltaAllowance: 0, deltaPack: credits };
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

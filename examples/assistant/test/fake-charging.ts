import { MAX_QUANTITY } from '@extension-billing/contract/measured';
import type { Charging, Held, Measured, Refused, Settled } from '../function/charging.ts';
import { POOLS } from '../gateway/usage.ts';

/** One credit for so many tokens of each pool. */
export const PER = { input: 100, cached: 1_000, output: 20, reasoning: 20 } as const;
export const HOLD = 200;

export function costOf(units: Readonly<Record<string, number>>): number {
  const thousandths = POOLS.reduce((sum, pool) => sum + (units[pool] ?? 0) * (1_000 / PER[pool]), 0);
  return Math.ceil(thousandths / 1_000);
}

/** What became of a hold. */
export interface Kept {
  readonly uid: string;
  readonly cost: number;
  readonly units: Readonly<Record<string, number>>;
  readonly ends: Array<
    { readonly kind: 'release' } | ({ readonly kind: 'settle'; readonly cost: number } & Measured)
  >;
}

/** Credits in memory, where a test is not about the service. The token of a user is their uid. */
export function fakeCharging(balances: Record<string, number>) {
  const kept: Kept[] = [];
  /** What the service throws, in place of the next answers. */
  const failures = new Map<'hold' | 'settle' | 'verifyUser', Error>();
  const failing = (what: 'hold' | 'settle' | 'verifyUser'): void => {
    const failure = failures.get(what);
    if (failure !== undefined) throw failure;
  };
  const charging: Charging = {
    async verifyUser(idToken) {
      failing('verifyUser');
      return Object.hasOwn(balances, idToken) ? idToken : null;
    },
    async hold(uid, _feature, { units, key }) {
      failing('hold');
      const cost = costOf(units);
      const balance = balances[uid] ?? 0;
      if (cost > balance) {
        return { ok: false, reason: 'credits_exhausted', detail: 'No.', balance } satisfies Refused;
      }
      balances[uid] = balance - cost;
      const hold: Kept = { uid, cost, units, ends: [] };
      kept.push(hold);
      return {
        ...{ ok: true, reservation: key, cost },
        async settle(measured) {
          failing('settle');
          if ('units' in measured && Object.values(measured.units).some((count) => count > MAX_QUANTITY))
            throw Object.assign(new Error('No such units.'), { code: 'invalid_request' });
          const taken = 'units' in measured ? costOf(measured.units) : measured.amount;
          if (taken > cost)
            return { ok: false, reason: 'amount_above_hold', detail: 'No.' } satisfies Refused;
          hold.ends.push({ kind: 'settle', cost: taken, ...measured });
          balances[uid] = (balances[uid] ?? 0) + cost - taken;
          return { ok: true, cost: taken, balance: balances[uid] ?? 0 } satisfies Settled;
        },
        async release() {
          hold.ends.push({ kind: 'release' });
          balances[uid] = (balances[uid] ?? 0) + cost;
        },
      } satisfies Held;
    },
  };
  return { charging, kept, balances, failures };
}

import { afterEach, describe, expect, it, vi } from 'vitest';
import type { decideSettle } from '../../src/domain/settle.ts';
import type { writeCredits } from '../../src/store/write-credits.ts';
import { checkModel } from './property.ts';

/**
 * Wrong ways to hold and spend credits, each put in the place of the right one in the service's own code: the model
 * test has to fail for every one of them (as in mutants.test.ts, for the rules of the events).
 */

const AVAILABLE = '@extension-billing/contract/available-credits';
const CREDITS = '../../src/domain/credits.ts';
const SETTLE = '../../src/domain/settle.ts';
const SPEND = '../../src/domain/balance.ts';
const WRITE = '../../src/store/write-credits.ts';
const LEDGER = '../../src/domain/ledger.ts';

afterEach(() => {
  for (const module of [AVAILABLE, CREDITS, LEDGER, SETTLE, SPEND, WRITE]) vi.doUnmock(module);
  vi.resetModules();
});

async function isCaught(name: string, module: string, wrong: (right: never) => object): Promise<void> {
  vi.resetModules();
  vi.doMock(module, async (importOriginal) => {
    const right = await importOriginal<object>();
    return { ...right, ...wrong(right as never) };
  });
  vi.doMock('node:timers/promises', () => ({ setTimeout: () => Promise.resolve() }));
  const { memoryService } = await import('./memory-service.ts');
  const run = { histories: 400, journeysEach: 4, seed: 11, asFound: true };
  const { failure } = await checkModel(memoryService, run);
  expect(failure, `the model test did not notice: ${name}`).not.toBeNull();
  const faults = (failure ?? '').split('\n').filter((line) => line.startsWith('  - '));
  // Another error than a wrong state would mean that the mutant broke the model itself.
  expect(faults).not.toEqual([]);
  console.log(`--- the model test catches: ${name}\n${faults.join('\n')}`);
}

interface Hold {
  readonly reservation: string;
  readonly feature: string;
  readonly credits: number;
  readonly expiresAt: number;
}

describe('the model test catches', { timeout: 120_000 }, () => {
  it('held credits that others can spend', () =>
    isCaught('held credits that others can spend', CREDITS, () => ({
      covers: ({ balances }: { balances: { allowance: number; packs: number } }, cost: number) =>
        balances.allowance + balances.packs >= cost,
    })));

  it('a hold that no clock ends', () =>
    isCaught('a hold that no clock ends', AVAILABLE, () => ({
      unexpired: (holds: readonly Hold[]) => holds,
    })));

  it('a confirm that takes what is no longer owned', () =>
    isCaught('a confirm that takes what is no longer owned', AVAILABLE, () => ({
      drawn: ({ allowance, packs }: { allowance: number; packs: number }, credits: number) => {
        const fromAllowance = Math.min(allowance, credits);
        return { allowance: allowance - fromAllowance, packs: packs - (credits - fromAllowance) };
      },
    })));

  it('a confirm that charges what had expired', () =>
    isCaught(
      'a confirm that charges what had expired',
      SETTLE,
      (right: { decideSettle: typeof decideSettle }) => ({
        decideSettle: (...[command, credits, recorded, now]: Parameters<typeof decideSettle>) => {
          const { reserve } = recorded;
          if (reserve?.outcome !== 'granted' || recorded.settle !== null || credits === null)
            return right.decideSettle(command, credits, recorded, now);
          const hold = {
            reservation: command.reservation,
            feature: '',
            credits: reserve.cost,
            expiresAt: now + 1,
          };
          const others = credits.holds.filter(({ reservation }) => reservation !== command.reservation);
          return right.decideSettle(command, { ...credits, holds: [...others, hold] }, recorded, now);
        },
      }),
    ));

  it('credits that stay held after the end', () =>
    isCaught(
      'credits that stay held after the end',
      SETTLE,
      (right: { decideSettle: typeof decideSettle }) => ({
        decideSettle: (...args: Parameters<typeof decideSettle>) => {
          const decision = right.decideSettle(...args);
          const [, credits] = args;
          if (decision.kind !== 'settled' || credits === null) return decision;
          return { ...decision, credits: { ...decision.credits, holds: credits.holds } };
        },
      }),
    ));

  it('packs that are spent before the allowance', () =>
    isCaught('packs that are spent before the allowance', SPEND, () => ({
      spend: ({ allowance, packs }: { allowance: number; packs: number }, cost: number) => {
        const fromPacks = Math.min(packs, cost);
        return { allowance: allowance - (cost - fromPacks), packs: packs - fromPacks };
      },
    })));

  it('a spend that expires as a refusal does', () =>
    isCaught('a spend that expires as a refusal does', LEDGER, () => ({
      isRefusal: ({ kind }: { kind: string }) => kind === 'consume',
    })));

  it('a write that does not name the version it builds on', () =>
    isCaught('a write without its precondition', WRITE, (right: { writeCredits: typeof writeCredits }) => ({
      writeCredits: async (...[firestore, uid, seen, decided]: Parameters<typeof writeCredits>) => {
        const { updateTime } = await firestore.doc(`customers/${uid}`).get();
        const latest = seen === null || updateTime === undefined ? seen : { ...seen, version: updateTime };
        return right.writeCredits(firestore, uid, latest, decided);
      },
    })));
});

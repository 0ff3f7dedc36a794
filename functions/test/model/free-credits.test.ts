import { describe, expect, it } from 'vitest';
import { checkFree } from './free-property.ts';
import { firstFailure } from './known-failures.ts';
import type { Mutation } from './mutate.ts';
import { mutated } from './mutate.ts';

/**
 * Who gets free credits, in random histories on the service's own code. More of them, from another place:
 * FREE_RUNS=100000 FREE_SEED=7 npx vitest run --project unit functions/test/model/free-credits
 */
const RUNS = Number(process.env.FREE_RUNS ?? 200);
const SEED = Number(process.env.FREE_SEED ?? 5);

const worldOf = async (mutations: readonly Mutation[]) =>
  (await mutated('./free-world.ts', mutations)).freeWorld;

it('are never more than the catalogue says, for a person, a guest and a day', async () => {
  expect(await checkFree(await worldOf([]), { histories: RUNS, seed: SEED })).toBeNull();
}, 3_600_000);

const DECIDE = 'functions/src/free/decide.ts';
const CEILING = 'functions/src/free/ceiling.ts';
const COMMIT = 'functions/src/credits/commit.ts';
const GROUP = 'functions/src/credits/decide.ts';

const BUDGET = 'functions/src/free/budget.ts';

describe('the property notices', { timeout: 120_000 }, () => {
  it.each([
    [
      'a person who is forgotten',
      DECIDE,
      '{ pool: begun, identity: { uid, anchor: begun.anchor, until',
      '{ pool: begun, identity: null && { uid, anchor: begun.anchor, until',
    ],
    [
      'a period that is given to each account',
      DECIDE,
      'if (now >= due) {',
      'if (now >= due || running === null) {',
    ],
    [
      'an end of a period that is not kept',
      DECIDE,
      'identity: { uid, anchor, until: endOfPeriod(begun) }',
      'identity: null',
    ],
    [
      'a document of an earlier build that says nothing',
      DECIDE,
      ': periodAt(anchor, every, now).end;',
      ': now;',
    ],
    [
      'a guest who gets the whole amount on top',
      DECIDE,
      'pool.left + amount - pool.amount',
      'pool.left + amount',
    ],
    [
      'a guest who stays one',
      DECIDE,
      'source: identity === null ? FREE_GUEST : FREE,',
      'source: pool?.source ?? FREE_GUEST,',
    ],
    [
      'once, again',
      DECIDE,
      'closed(running ?? { ...fresh, left: 0, until: now })',
      'closed(running ?? fresh)',
    ],
    [
      'an event that begins a period',
      BUDGET,
      'isFreePool(pool) ? lapsed(pool, now) : advance(pool, now)',
      'advance(pool, now)',
    ],
    [
      'a switch that switches nothing off',
      COMMIT,
      'const isFreeOff = access === null ||',
      'const isFreeOff = false &&',
    ],
    [
      'a lease that gives out more than it has',
      CEILING,
      'if (lease.left < credits) return false;',
      'if (lease.left < 0) return false;',
    ],
    [
      'a counter that instances overwrite',
      CEILING,
      'await counter.update(fields, { lastUpdateTime: snapshot.updateTime });',
      'await counter.update(fields);',
    ],
    ['a surplus that is returned twice', CEILING, 'const isReturn = block < 0;', 'const isReturn = false;'],
    ['a surplus that is returned and kept', CEILING, 'lease.left = lease.block;', ''],
    [
      'a spend that was written and is given back',
      COMMIT,
      'if (isConflict(error)) failed',
      'giveBack(free, tried?.freeTaken ?? 0, now); if (isConflict(error)) failed',
    ],
    [
      'a commit that the client retried and is given back',
      COMMIT,
      'if (failed !== null && !wasWritten(failed, settled))',
      'if (failed !== null)',
    ],
    ['a release that gives nothing back', COMMIT, 'giveBack(free, -decided.freeTaken, now);', ''],
    [
      'a confirm that gives back what it spent',
      GROUP,
      'Math.max(0, freeHeld(today) - spent)',
      'freeHeld(today)',
    ],
    [
      'a hold that returns to another day',
      GROUP,
      'heldAt !== undefined && isSameDay(heldAt, now)',
      'heldAt !== undefined',
    ],
    ['reservations that nobody counts', GROUP, 'return made + Math.max', 'return Math.max'],
    [
      'spends that nobody counts',
      GROUP,
      'return made + Math.max(0, spent - freeHeld(ended)) -',
      'return made -',
    ],
    [
      'a settle that the ceiling does not stop',
      GROUP,
      'const rest = isTaken ? spent(credits, due, (hold.free ?? 0) + free, now) : credits;',
      'const rest = isTaken ? spent(credits, Math.min(cost, totalOf(credits.balances)), Infinity, now) : credits;',
    ],
  ])('%s', async (name, file, right, wrong) => {
    const world = await worldOf([{ file, right, wrong }]);
    const failure = await firstFailure([{ histories: 1_500, seed: 2 }], (look) => checkFree(world, look));
    expect(failure, `nobody noticed: ${name}`).toMatch(/free credits|remembered|record and ledger/);
  });
});

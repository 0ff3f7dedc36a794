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

describe('the property notices', { timeout: 120_000 }, () => {
  it.each([
    [
      'a person who is forgotten',
      DECIDE,
      'identity: { uid, anchor: begun.anchor }, ended: null',
      'identity: null, ended: null',
    ],
    ['a person who returns and gets everything at once', DECIDE, 'if (from === now) {', 'if (from >= now) {'],
    ['a guest who gets the whole amount on top', DECIDE, 'Math.max(0, amount - pool.amount)', 'amount'],
    [
      'the account before that goes on',
      DECIDE,
      'return { ...pool, until: until === null ? end : Math.min(until, end) };',
      'return { ...pool, until: until === null ? end * 2 : end };',
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
    [
      'a spend that was written and is given back',
      COMMIT,
      'if (isConflict(error)) giveBack(free, taken, now);',
      'giveBack(free, taken, now);',
    ],
    [
      'reservations that nobody counts',
      GROUP,
      'return made + Math.max(0, spent - ended);',
      'return Math.max(0, spent - ended);',
    ],
    [
      'a settle that the ceiling does not stop',
      GROUP,
      'const rest = isTaken ? spent(credits, due, (hold.free ?? 0) + free, now) : credits;',
      'const rest = isTaken ? spent(credits, Math.min(cost, totalOf(credits.balances)), Infinity, now) : credits;',
    ],
    ['spends that nobody counts', GROUP, 'return made + Math.max(0, spent - ended);', 'return made;'],
  ])('%s', async (name, file, right, wrong) => {
    const world = await worldOf([{ file, right, wrong }]);
    const failure = await firstFailure([{ histories: 1_500, seed: 2 }], (look) => checkFree(world, look));
    expect(failure, `nobody noticed: ${name}`).toMatch(/free credits|remembered|record and ledger/);
  });
});

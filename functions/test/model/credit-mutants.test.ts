import { describe, it } from 'vitest';
import { expectCaught, failureOf, type Start } from './caught.ts';

/**
 * Wrong ways to hold and spend credits, each put in the place of the right one in the service's own source: the model
 * test has to fail for every one of them (as in mutants.test.ts, for the rules of the events).
 */

const AVAILABLE = 'packages/contract/src/customer.ts';
const DECIDE = 'functions/src/credits/decide.ts';
const COMMIT = 'functions/src/credits/commit.ts';
const MEASURED = 'packages/contract/src/measured.ts';
const LEDGER = 'packages/contract/src/ledger.ts';

const STARTS: readonly Start[] = [11, 5, 7, 1, 2, 3, 4].map((seed) => ['any', seed]);

async function isCaught(name: string, file: string, right: string, wrong: string): Promise<void> {
  expectCaught(name, await failureOf([{ file, right, wrong }], STARTS));
}

const DERIVE = 'functions/src/events/derive.ts';
const FACTS = 'functions/src/events/facts.ts';
const HAND = 'functions/src/events/hand-grants.ts';
const REPAIR = 'functions/src/reconcile/user.ts';

describe('the model test catches', { timeout: 120_000 }, () => {
  it('held credits that others can spend', () =>
    isCaught(
      'held credits that others can spend',
      DECIDE,
      'return totalOf(availableOf(open, holds, now));',
      'return totalOf(credits.balances);',
    ));

  it('an import that restores the spent credits of a plan', () =>
    isCaught('an import that restores the spent credits of a plan', DERIVE, ', ...undone]);', ']);'));

  it('an import that restores the spent credits of packs', () =>
    isCaught(
      'an import that restores the spent credits of packs',
      REPAIR,
      'derive(\n      { ...stored, record: readCustomer(customer) },',
      'derive(\n      { ...stored, facts: after, record: readCustomer(customer) },',
    ));

  it('packs that stay after a deletion', () =>
    isCaught(
      'packs that stay after a deletion',
      FACTS,
      'purchases: {},\n    handGrants: {},',
      'handGrants: {},',
    ));

  it('a purchase that comes back after a deletion', () =>
    isCaught(
      'a purchase that comes back after a deletion',
      HAND,
      'return givenUp.ids.includes(fact.purchase) || ',
      'return ',
    ));

  it('a second trial after a deletion', () =>
    isCaught(
      'a second trial after a deletion',
      FACTS,
      '...{ customerId, trialUsed },',
      '...{ customerId, trialUsed: false },',
    ));

  it('a hold that no clock ends', () =>
    isCaught(
      'a hold that no clock ends',
      AVAILABLE,
      'return holds.filter(({ expiresAt }) => expiresAt > now);',
      'return holds;',
    ));

  it('a confirm that takes what is no longer owned', () =>
    isCaught(
      'a confirm that takes what is no longer owned',
      AVAILABLE,
      'packs: Math.max(0, packs - (credits - fromAllowance))',
      'packs: packs - (credits - fromAllowance)',
    ));

  it('a confirm that charges what had expired', () =>
    isCaught(
      'a confirm that charges what had expired',
      DECIDE,
      "return settled({ kind: 'expiry', cost }, expired, credits, at, command);",
      "return settled({ kind: command.kind === 'settle' ? 'confirm' : command.kind, cost }, expired, credits, at, command);",
    ));

  it('credits that stay held after the end', () =>
    isCaught(
      'credits that stay held after the end',
      DECIDE,
      'const after = { ...rest, holds: credits.holds.filter((open) => open !== hold) };',
      'const after = { ...rest, holds: credits.holds };',
    ));

  it('packs that are spent before the allowance', () =>
    isCaught(
      'packs that are spent before the allowance',
      AVAILABLE,
      'const fromAllowance = Math.min(allowance, credits);',
      'const fromAllowance = Math.min(allowance, Math.max(0, credits - packs));',
    ));

  it('a spend that expires as a refusal does', () =>
    isCaught(
      'a spend that expires as a refusal does',
      LEDGER,
      "return 'outcome' in entry && entry.outcome === 'exhausted';",
      "return entry.kind === 'consume';",
    ));

  it('a settle that takes all that is held', () =>
    isCaught(
      'a settle that takes all that is held',
      DECIDE,
      "return settled({ kind: 'confirm', cost, ...",
      "return settled({ kind: 'confirm', cost: Math.max(cost, hold.credits), ...",
    ));

  it('a settle that goes beyond what may be overdrawn', () =>
    isCaught(
      'a settle that goes beyond what may be overdrawn',
      DECIDE,
      "if (cost > most) return { kind: 'above_hold', most };",
      '',
    ));

  it('a settle that takes what another reservation holds', () =>
    isCaught(
      'a settle that takes what another reservation holds',
      DECIDE,
      'Math.min(beyond, available(credits, now, free))',
      'beyond',
    ));

  it('a settle that is refused where it could be overdrawn', () =>
    isCaught(
      'a settle that is refused where it could be overdrawn',
      DECIDE,
      'const most = hold.credits + price.overdraw;',
      'const most = hold.credits;',
    ));

  it('a user who names an amount', () =>
    isCaught(
      'a user who names an amount',
      DECIDE,
      "|| hold?.byService === true || command.kind === 'settle';",
      '|| hold?.byService === true;',
    ));

  it('a user who ends what a service holds', () =>
    isCaught(
      'a user who ends what a service holds',
      DECIDE,
      "reserve?.by !== undefined || hold?.byService === true || command.kind === 'settle'",
      "command.kind === 'settle'",
    ));

  it('units that are rounded down', () =>
    isCaught('units that are rounded down', MEASURED, '(sum + divisor - 1n) / divisor', 'sum / divisor'));

  it('a shortfall that nobody writes down', () =>
    isCaught(
      'a shortfall that nobody writes down',
      DECIDE,
      'const shortfall = isTaken ? cost - taken : 0;',
      'const shortfall = 0;',
    ));

  it('a write that does not name the version it builds on', () =>
    isCaught(
      'a write without its precondition',
      COMMIT,
      'batch.update(customer, fields, { lastUpdateTime: builtOn })',
      'batch.update(customer, fields)',
    ));
});

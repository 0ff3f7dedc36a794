import { describe, expect, it } from 'vitest';
import { expectCaught, failureOf, type Start } from './caught.ts';
import { type Mutation, mutatedService } from './mutate.ts';
import { checkModel } from './property.ts';

/** Wrong rules of what is given by hand, each in the place of the right one (as in mutants.test.ts). */

const DERIVE = 'functions/src/events/derive.ts';
const GRANTS = 'functions/src/events/grants.ts';
const HAND = 'functions/src/events/hand-grants.ts';
const LOTS = 'functions/src/events/lots.ts';

const MUTANTS: readonly [name: string, mutation: Mutation][] = [
  [
    'a revocation that takes what was bought',
    { file: LOTS, right: '!ofItsOwn && lot.purchase', wrong: 'lot.purchase' },
  ],
  [
    'a revocation that leaves the credits',
    {
      file: LOTS,
      right: 'since === null ? null : { credits, since, ofItsOwn: true as const }',
      wrong: 'null',
    },
  ],
  ['a revocation that leaves the plan', { file: HAND, right: ' || revokedAt !== null || ', wrong: ' || ' }],
  [
    'a complimentary plan without an end',
    { file: HAND, right: 'name !== PAID), until }', wrong: 'name !== PAID), until: null }' },
  ],
  [
    'a complimentary plan that is only paid',
    { file: HAND, right: 'entitlements.filter((name) => name !== PAID)', wrong: '[]' },
  ],
  [
    'a complimentary plan without what it includes',
    { file: GRANTS, right: '(entitlements[entitlement] ?? [PAID])', wrong: '[entitlement]' },
  ],
  [
    'a grant for each time it is asked for',
    {
      file: GRANTS,
      right: 'digest([uid, key]).slice',
      wrong: 'digest([uid, key, String(Math.random())]).slice',
    },
  ],
  [
    'a claim that says nothing of it',
    { file: GRANTS, right: "if (handled.kind === 'done') await mirrorRights(deps, uid);", wrong: '' },
  ],
  [
    'credits that are not in use until something is bought',
    {
      file: DERIVE,
      right: '.some(({ at, credits }) => at !== null && credits > 0)',
      wrong: '.some(() => false)',
    },
  ],
  [
    'credits that count only beside what was bought',
    { file: DERIVE, right: ' || Object.keys(handGrants).length > 0;', wrong: ';' },
  ],
];

const STARTS: readonly Start[] = [7, 1, 2, 3, 4].map((seed) => ['by_hand', seed]);

describe('the model test, of what is given by hand,', { timeout: 120_000 }, () => {
  it('finds nothing in the right rules', async () => {
    const seed = Date.now() & 0x7fffffff;
    const { failure } = await checkModel(await mutatedService([]), {
      journeysEach: 4,
      opening: 'by_hand',
      histories: 20,
      seed,
    });
    expect(failure).toBeNull();
  });

  it.each(MUTANTS)('catches %s', async (name, mutation) => {
    expectCaught(name, await failureOf([mutation], STARTS));
  });
});

import { offerOf, type PlanOffer } from '@extension-billing/contract/catalog';
import { defineCatalog } from '@extension-billing/contract/define-catalog';
import { PLAN, testCatalog, testInput } from '@extension-billing/contract/test/catalog';
import { expect, it } from 'vitest';
import { firestore } from '../../../../functions/test/app/emulated-user.ts';
import { provider } from '../../../../functions/test/app/suite.ts';
import { aBuyer } from '../../../../functions/test/fixtures/buyer.ts';
import * as simulator from '../../../../functions/test/fixtures/simulator.ts';
import { migratePlan, soldBy } from './migrate.ts';

const generous = defineCatalog({
  ...testInput,
  entitlements: { pro: {} },
  plans: {
    ...testInput.plans,
    [PLAN.metered]: {
      ...testInput.plans[PLAN.metered],
      credits: { amount: 2_000, every: 'month' },
      grants: ['pro'],
    },
  },
});
const planOf = (catalog: typeof testCatalog): PlanOffer => {
  const offer = offerOf(catalog, PLAN.metered);
  return offer?.kind === 'subscription' ? offer : expect.fail();
};

it('moves old buyers to what is sold now: each once, their credits with the next paid period', async () => {
  const buyer = await aBuyer();
  await buyer.buy(PLAN.metered);
  await simulator.delivered();
  const deps = {
    firestore,
    stripe: async () => provider(),
    now: () => Date.now(),
    config: { project: process.env.GCLOUD_PROJECT ?? null },
  };
  const old = soldBy(testCatalog, planOf(testCatalog));
  const migration = { plan: PLAN.metered, to: soldBy(generous, planOf(generous)), from: old };
  const own = async (apply: boolean, from = migration.from) =>
    (await migratePlan(deps, { ...migration, from, apply })).filter(({ uid }) => uid === buyer.uid);

  expect(await own(false)).toMatchObject([
    { says: 'monthly_credits 1000 → 2000, entitlements – → pro', metadata: { entitlements: 'pro' } },
  ]);
  expect(await own(false)).toHaveLength(1);
  expect(await own(true)).toHaveLength(1);
  expect(await own(true)).toEqual([]);
  await simulator.delivered();
  expect(await buyer.record()).toMatchObject({
    plan: PLAN.metered,
    entitlements: ['pro'],
    creditsAllowance: 1_000,
  });
});

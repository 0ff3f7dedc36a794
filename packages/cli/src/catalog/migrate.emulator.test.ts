import { offerOf, type PlanOffer } from '@extension-billing/contract/catalog';
import { defineCatalog } from '@extension-billing/contract/define-catalog';
import { PLAN, testCatalog, testInput } from '@extension-billing/contract/test/catalog';
import { expect, it } from 'vitest';
import { aConfig } from '../../../../functions/test/app/config.ts';
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
    catalog: () => testCatalog,
    config: aConfig({ project: process.env.GCLOUD_PROJECT ?? null }),
  };
  const old = soldBy(testCatalog, planOf(testCatalog));
  const migration = { plan: PLAN.metered, to: soldBy(generous, planOf(generous)), from: old };
  const own = async (apply: boolean, from = migration.from) =>
    (await migratePlan(deps, { ...migration, from, apply })).moves.filter(({ uid }) => uid === buyer.uid);

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

it('reaches who was changed to the plan, whose sale is kept by then, and says who is left out', async () => {
  const stripe = provider();
  const changed = await aBuyer();
  await changed.buy(PLAN.monthly);
  await simulator.delivered();
  const { data } = await stripe.prices.list({ lookup_keys: [PLAN.metered] });
  const price = data[0]?.id ?? '';
  const before = await stripe.subscriptions.retrieve(await changed.subscription());
  await stripe.subscriptions.update(before.id, { items: [{ id: before.items.data[0]?.id ?? '', price }] });
  await simulator.delivered();
  const { metadata } = await stripe.subscriptions.retrieve(before.id);
  expect(metadata).toMatchObject({ lookup_key: PLAN.metered, price_id: price, monthly_credits: '1000' });

  const deps = {
    ...{ firestore, stripe: async () => stripe, now: () => Date.now(), catalog: () => testCatalog },
    config: aConfig({ project: process.env.GCLOUD_PROJECT ?? null }),
  };
  const to = soldBy(generous, planOf(generous));
  const migration = { plan: PLAN.metered, to, from: null, apply: true };
  const { moves } = await migratePlan(deps, migration);
  expect(moves.find(({ uid }) => uid === changed.uid)?.says).toContain('monthly_credits 1000 → 2000');
  const again = await migratePlan(deps, { ...migration, from: soldBy(testCatalog, planOf(testCatalog)) });
  expect(again.left.find(({ uid }) => uid === changed.uid)?.why).toContain('something else');
});

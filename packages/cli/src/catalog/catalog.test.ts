import type { Catalog } from '@extension-billing/contract/catalog';
import { defineCatalog } from '@extension-billing/contract/define-catalog';
import { readPublished } from '@extension-billing/contract/published-catalog';
import { PACK, PLAN, testCatalog, testInput } from '@extension-billing/contract/test/catalog';
import { expect, it } from 'vitest';
import { MemoryFirestore } from '../../../../functions/test/model/memory-firestore.ts';
import { type Desk, listCatalogs, type PushOptions, pushCatalog, rollBackCatalog } from './catalog.ts';
import { compareCatalogs, contradictions, describeChange } from './diff.ts';

const QUIET = { dryRun: false, yes: true, anyway: false, note: null } as const;

/** An owner at a desk, in front of a database. */
function anOwner(says = true) {
  const database = new MemoryFirestore();
  const firestore = database.connect();
  const printed: string[] = [];
  const asked: string[] = [];
  const buyers = new Map<string, number>();
  const desk: Desk = {
    firestore,
    buyers: async () => ({ buyers, looked: buyers.size, all: true }),
    print: (text) => printed.push(text),
    confirm: async (question) => {
      asked.push(question);
      return says;
    },
  };
  const said = () => printed.splice(0).join('\n');
  return {
    database,
    asked,
    async push(catalog: Catalog, options: Partial<PushOptions> = {}, problems: readonly string[] = []) {
      const status = await pushCatalog(desk, catalog, problems, { ...QUIET, ...options });
      return { status, said: said() };
    },
    async rollBack(version: number | null = null, options: Partial<PushOptions> = {}) {
      const status = await rollBackCatalog(desk, version, { ...QUIET, ...options });
      return { status, said: said() };
    },
    async list() {
      await listCatalogs(desk);
      return said();
    },
    sold: (plan: string, many: number) => buyers.set(plan, many),
    stored: (id: string) => readPublished(database.documents.get(`billing_catalog/${id}`)?.data),
    versions: () =>
      [...database.documents.keys()].filter((path) => path.startsWith('billing_catalog/')).toSorted(),
  };
}

const dearer = defineCatalog({
  ...testInput,
  features: { ...testInput.features, demo: { cost: 2 } },
});
const generous = defineCatalog({
  ...testInput,
  plans: {
    ...testInput.plans,
    [PLAN.metered]: { ...testInput.plans[PLAN.metered], credits: { amount: 2_000, every: 'month' } },
  },
});

it('publishes the file as a version that stays, and as the one in force', async () => {
  const owner = anOwner();
  expect(await owner.push(testCatalog)).toMatchObject({ status: 0 });
  expect(owner.stored('current')).toEqual({ version: 1, catalog: testCatalog });
  expect((await owner.push(dearer, { note: 'demo costs 2' })).said).toContain('~ features.demo.cost: 1 → 2');
  expect(owner.stored('current')).toEqual({ version: 2, catalog: dearer });
  expect(owner.stored('1')).toEqual({ version: 1, catalog: testCatalog });
  expect(owner.stored('2')).toEqual({ version: 2, catalog: dearer });
});

it('has nothing to publish where the version in force says the same', async () => {
  const owner = anOwner();
  await owner.push(testCatalog);
  expect(await owner.push(testCatalog)).toMatchObject({
    status: 0,
    said: expect.stringMatching(/^Nothing to/),
  });
  expect(owner.versions()).toEqual(['billing_catalog/1', 'billing_catalog/current']);
});

it('says who keeps what, by the plan that they have now, and asks before it does anything', async () => {
  const owner = anOwner(false);
  await owner.push(testCatalog);
  owner.sold(PLAN.metered, 2);
  owner.sold(PLAN.monthly, 1);
  const { status, said } = await owner.push(generous, { yes: false });
  expect(status).toBe(1);
  expect(owner.asked).toEqual(['\nPublish this as version 2?']);
  expect(said).toContain(`~ plans.${PLAN.metered}.credits.amount: 1000 → 2000`);
  expect(said).toContain(
    `${PLAN.metered}: 2 buyers keep what was sold to them, at the price that they pay; "billing catalog migrate --plan ${PLAN.metered}" moves them`,
  );
  expect(said).not.toContain(`${PLAN.monthly}:`);
  expect(owner.stored('current')?.version).toBe(1);
});

it('changes nothing in a dry run, nor while the provider’s prices do not fit', async () => {
  const owner = anOwner();
  expect((await owner.push(testCatalog, { dryRun: true })).status).toBe(0);
  expect(await owner.push(testCatalog, {}, ['price x: no active price'])).toMatchObject({
    status: 1,
    said: expect.stringContaining('✗ price x: no active price'),
  });
  expect(owner.versions()).toEqual([]);
});

it('refuses what contradicts what was sold or is installed, and goes on where that is meant', async () => {
  const owner = anOwner();
  await owner.push(testCatalog);
  const { demo: _, ...features } = testInput.features;
  const without = defineCatalog({ ...testInput, features });
  expect(await owner.push(without)).toMatchObject({
    status: 1,
    said: expect.stringContaining('the feature "demo" would be gone'),
  });
  expect(owner.stored('current')?.version).toBe(1);
  expect((await owner.push(without, { anyway: true })).status).toBe(0);
  expect(owner.stored('current')?.catalog).toEqual(without);
});

it('knows what a key stands for: a plan that becomes a pack, or by the year, is another thing', () => {
  const { [PLAN.monthly]: plan, ...plans } = testInput.plans;
  const { [PACK.small]: pack, ...packs } = testInput.packs;
  const swapped = defineCatalog({
    ...testInput,
    plans: { ...plans, [PACK.small]: plan },
    packs: { ...packs, [PLAN.monthly]: pack },
  });
  const yearly = defineCatalog({
    ...testInput,
    plans: { ...testInput.plans, [PLAN.monthly]: { ...plan, interval: 'year' } },
  });
  expect(contradictions(testCatalog, swapped)).toHaveLength(2);
  expect(contradictions(testCatalog, yearly)).toEqual([expect.stringContaining('subscription, month')]);
  expect(contradictions(testCatalog, generous)).toEqual([]);
});

it('brings an earlier version back, under its own number, and goes on counting after the highest', async () => {
  const owner = anOwner();
  await owner.push(testCatalog);
  await owner.push(dearer);
  expect(await owner.rollBack()).toMatchObject({ status: 0 });
  expect(owner.stored('current')).toEqual({ version: 1, catalog: testCatalog });
  await owner.push(generous);
  expect(owner.stored('current')).toEqual({ version: 3, catalog: generous });
  expect(owner.stored('2')?.catalog).toEqual(dearer);
  expect(await owner.rollBack(7)).toMatchObject({ status: 1, said: expect.stringContaining('no version 7') });
  expect((await owner.list()).split('\n').slice(0, 5)).toEqual([
    expect.stringMatching(/^version/),
    expect.stringMatching(/^─/),
    expect.stringMatching(/^3 .*in force/),
    expect.stringMatching(/^2 /),
    expect.stringMatching(/^1 /),
  ]);
});

it('rolls back to what a version replaced, and not to one that was rolled back itself', async () => {
  const owner = anOwner();
  for (const catalog of [testCatalog, dearer, generous]) await owner.push(catalog);
  await owner.rollBack();
  expect(owner.stored('current')?.version).toBe(2);
  await owner.push({ ...dearer, trialDays: 3 });
  expect(owner.stored('current')?.version).toBe(4);
  for (const version of [2, 1]) {
    expect(await owner.rollBack()).toMatchObject({ status: 0 });
    expect(owner.stored('current')?.version).toBe(version);
  }
  expect(await owner.rollBack()).toMatchObject({
    status: 1,
    said: expect.stringContaining('Version 1 replaced no other'),
  });
});

it('lets only one of two publish who looked at the same version', async () => {
  const owner = anOwner();
  await owner.push(testCatalog);
  const both = await Promise.allSettled([owner.push(dearer), owner.push(generous)]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(owner.versions()).toHaveLength(3);
  const [winner] = [owner.stored('current')?.catalog];
  expect(owner.stored('2')?.catalog).toEqual(winner);
});

it('shows what is new or gone as a whole, and each field of what is another one', () => {
  const { [PLAN.yearly]: _, ...plans } = testInput.plans;
  const other = defineCatalog({
    ...testInput,
    free: { credits: 20, every: 'month', guests: 5 },
    entitlements: { pro: {} },
    plans: { ...plans, pro_yearly: { ...testInput.plans[PLAN.yearly], grants: ['pro'] } },
  });
  expect(compareCatalogs(testCatalog, other).map(describeChange)).toEqual([
    '+ free: credits 20, every month, guests 5, verifiedEmail false',
    '+ entitlements.pro: pro',
    expect.stringMatching(`^- plans.${PLAN.yearly} \\(was .*amount 9000`),
    expect.stringMatching(/^\+ plans.pro_yearly: .*grants pro/),
  ]);
  expect(compareCatalogs(other, other)).toEqual([]);
});

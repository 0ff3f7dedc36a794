import type { Catalog } from '@extension-billing/contract/catalog';
import { checkCatalog } from '@extension-billing/contract/check-catalog';
import { publishedFields } from '@extension-billing/contract/published-catalog';
import { testCatalog } from '@extension-billing/contract/test/catalog';
import * as others from '@extension-billing/contract/test/other-catalogs';
import { describe, expect, it } from 'vitest';
import shipped from '../../../billing.config.ts';
import { keptLog } from '../../test/app/serve-app.ts';
import { MemoryFirestore } from '../../test/model/memory-firestore.ts';
import { IN_FORCE_WITHIN, liveCatalog } from './catalog.ts';

const costing = (cost: number): Catalog => ({
  ...testCatalog,
  features: { ...testCatalog.features, demo: { cost } },
});

/** One instance of the service, and the owner who publishes beside it. */
function anInstance() {
  const database = new MemoryFirestore();
  const log = keptLog();
  let now = 1_000_000;
  let reads = 0;
  let hold: Promise<void> | null = null;
  let failure: Error | null = null;
  database.around = {
    async before() {
      reads += 1;
      await hold;
      if (failure !== null) throw failure;
    },
    after: async () => {},
  };
  const live = liveCatalog({
    firestore: () => database.connect(),
    embedded: costing(1),
    now: () => now,
    log,
  });
  const store = (data: object) =>
    database.documents.set('billing_catalog/current', { data, version: reads + 1 });
  return {
    publish: (version: number, catalog: Catalog) => store(publishedFields({ version, catalog })),
    store,
    remove: () => database.documents.delete('billing_catalog/current'),
    fail: (error: Error | null) => {
      failure = error;
    },
    /** Reads hang until the function that this answers is called. */
    hang() {
      const { promise, resolve } = Promise.withResolvers<void>();
      hold = promise;
      return () => {
        hold = null;
        resolve();
      };
    },
    pass(ms: number) {
      now += ms;
    },
    /** What a request charges that comes now. */
    async request() {
      await live.ready();
      return live.current().features.demo?.cost;
    },
    /** Everything that runs beside the requests. */
    settled: () => new Promise<void>((resolve) => setTimeout(resolve, 0)),
    reads: () => reads,
    current: () => live.current(),
    lines: () => log.lines.map(({ severity, event, fields }) => [severity, event, fields]),
  };
}

describe('the catalogue in force', () => {
  it('is the one of the build while none is published', async () => {
    const instance = anInstance();
    expect(await instance.request()).toBe(1);
    expect(instance.lines()).toEqual([]);
  });

  it('is the published one for the first request of an instance', async () => {
    const instance = anInstance();
    instance.publish(1, costing(7));
    expect(await instance.request()).toBe(7);
    expect(instance.lines()).toEqual([['info', 'catalog_taken_up', { version: 1 }]]);
  });

  it('costs a busy instance no call for half a minute, and then one beside the requests', async () => {
    const instance = anInstance();
    await instance.request();
    instance.pass(29_999);
    await Promise.all(Array.from({ length: 100 }, () => instance.request()));
    expect(instance.reads()).toBe(1);

    instance.pass(1);
    instance.publish(1, costing(7));
    const answer = instance.hang();
    expect(await instance.request()).toBe(1);
    expect(await instance.request()).toBe(1);
    expect(instance.reads()).toBe(2);
    answer();
    await instance.settled();
    expect(await instance.request()).toBe(7);
    expect(instance.reads()).toBe(2);
  });

  it('is never older than a minute, however rarely somebody asks', async () => {
    const instance = anInstance();
    for (let version = 1; version <= 5; version += 1) {
      instance.publish(version, costing(version + 1));
      instance.pass(IN_FORCE_WITHIN);
      expect(await instance.request()).toBe(version + 1);
    }
  });

  it('follows a version that is brought back, and the build’s again where none is published any more', async () => {
    const instance = anInstance();
    instance.publish(1, costing(7));
    await instance.request();
    instance.publish(2, costing(9));
    instance.pass(IN_FORCE_WITHIN);
    expect(await instance.request()).toBe(9);
    instance.publish(1, costing(7));
    instance.pass(IN_FORCE_WITHIN);
    expect(await instance.request()).toBe(7);
    instance.remove();
    instance.pass(IN_FORCE_WITHIN);
    expect(await instance.request()).toBe(1);
  });

  it('stays while the database cannot be read, asks again without keeping anybody waiting, and says so', async () => {
    const instance = anInstance();
    instance.publish(1, costing(7));
    await instance.request();
    instance.fail(new Error('14 UNAVAILABLE'));
    instance.publish(2, costing(9));
    instance.pass(10 * IN_FORCE_WITHIN);
    expect(await instance.request()).toBe(7);
    expect(await instance.request()).toBe(7);
    expect(instance.lines().slice(1)).toEqual([['warn', 'catalog_not_read', { reason: '14 UNAVAILABLE' }]]);
    instance.fail(null);
    instance.pass(5_000);
    expect(await instance.request()).toBe(9);
  });

  it('is taken up from a later build, without the fields that this build does not know', async () => {
    const instance = anInstance();
    const [pack, ...packs] = testCatalog.packs;
    const later = {
      ...costing(9),
      surcharge: 3,
      packs: [{ ...pack, refundable: true, region: 'eu' }, ...packs],
      free: { credits: 5, every: 'day', guests: 0, verifiedEmail: false, dailyCeiling: null, resets: 'noon' },
      apps: { ['a'.repeat(32)]: { sells: [], entitlements: [], theme: 'dark' } },
    } as unknown as Catalog;
    instance.publish(1, later);
    expect(await instance.request()).toBe(9);
    expect(instance.lines()).toEqual([['info', 'catalog_taken_up', { version: 1 }]]);
    const text = JSON.stringify(instance.current());
    for (const field of ['surcharge', 'refundable', 'region', 'resets', 'theme']) {
      expect(text).not.toContain(field);
    }
  });

  it.each([
    ['of another form', { form: 2, version: 3, catalog: JSON.stringify(costing(9)) }, null],
    ['that is no JSON', { form: 1, version: 3, catalog: '{' }, null],
    ['that nobody could have defined', publishedFields({ version: 3, catalog: costing(-1) }), 3],
  ])('stays where one is published %s, which is said once', async (_what, data, version) => {
    const instance = anInstance();
    instance.publish(1, costing(7));
    await instance.request();
    instance.store(data);
    for (let minute = 0; minute < 3; minute += 1) {
      instance.pass(IN_FORCE_WITHIN);
      expect(await instance.request()).toBe(7);
    }
    expect(instance.lines().slice(1)).toEqual([
      ['error', 'catalog_refused', { version, reason: expect.any(String) }],
    ]);
  });
});

it.each(Object.entries({ shipped, testCatalog, ...others }).filter(([, each]) => 'plans' in each))(
  'a resolved catalogue is checked as its file was, and stays the same: %s',
  (_name, catalog) => {
    const published = JSON.parse(JSON.stringify(catalog)) as Catalog;
    expect(checkCatalog(published)).toEqual(published);
  },
);

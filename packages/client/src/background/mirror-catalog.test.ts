import { publishedFields } from '@extension-billing/contract/published-catalog';
import { PACK, testCatalog } from '@extension-billing/contract/test/catalog';
import { expect, it, vi } from 'vitest';
import { fakeStorage } from '../../test/fake-storage-area.ts';
import { followPublished, givenCatalog, onPricingChanged, providePricing } from '../given-catalog.ts';
import { LOOKED_AT_MS } from './linger.ts';
import { createCatalogMirror } from './mirror-catalog.ts';

const KEY = 'billingCatalog';
const dearer = { ...testCatalog, packs: testCatalog.packs.map((pack) => ({ ...pack, amount: 9_900 })) };
const document = (version: number, catalog = dearer) => publishedFields({ version, catalog });

/** A worker and a page of one browser, and a service that says what is published. */
function aBrowser(stored?: object) {
  const { area, storage, peek } = fakeStorage(stored === undefined ? {} : { [KEY]: stored });
  let listener: {
    onPublished(data: Readonly<Record<string, unknown>> | undefined): void;
    onError(): void;
  } | null = null;
  const listens = vi.fn();
  const clock = { now: 1_000 };
  const leaving: (() => void)[] = [];
  const mirror = createCatalogMirror({
    listen: (given) => {
      listens();
      listener = given;
      return () => {
        listener = null;
      };
    },
    area,
    key: KEY,
    now: () => clock.now,
    later: (step) => leaving.push(step),
  });
  mirror.ensure();
  return {
    mirror,
    listens,
    page: () => followPublished(storage, { areaName: 'local', key: KEY }),
    async says(data: Readonly<Record<string, unknown>> | undefined) {
      listener?.onPublished(data);
      await Promise.resolve();
    },
    fails: () => listener?.onError(),
    isListening: () => listener !== null,
    stored: () => peek(KEY),
    clear: () => area.remove(KEY),
    /** Nobody has looked for a minute. */
    leave() {
      clock.now += LOOKED_AT_MS;
      leaving.shift()?.();
    },
  };
}
const shown = (): number | undefined => givenCatalog.packs.find((p) => p.lookupKey === PACK.small)?.amount;

it('shows what the service has published from the moment that it says so, and the bundle where it has nothing', async () => {
  providePricing(testCatalog);
  const browser = aBrowser();
  const changed = vi.fn();
  onPricingChanged(changed);
  await browser.page();
  expect(shown()).toBe(500);
  browser.mirror.follow(true);
  await browser.says(document(1));
  expect([shown(), changed.mock.calls.length]).toEqual([9_900, 1]);
  await browser.says(undefined);
  expect([shown(), browser.stored()]).toEqual([500, undefined]);
});

it('shows at once what an earlier worker kept, in a page that is opened offline', async () => {
  providePricing(testCatalog);
  await aBrowser(document(1)).page();
  expect(shown()).toBe(9_900);
});

it('goes on with the last one where one of another form is published, for a newer extension', async () => {
  providePricing(testCatalog);
  const browser = aBrowser();
  await browser.page();
  browser.mirror.follow(true);
  await browser.says(document(1));
  await browser.says({ ...document(2), form: 2 });
  expect(shown()).toBe(9_900);
});

it('takes what is stored by another version, and is none, for nothing', async () => {
  providePricing(testCatalog);
  const priced = (fields: object) => ({
    ...dearer,
    packs: dearer.packs.map((pack) => ({ ...pack, ...fields })),
  });
  for (const stored of [
    { ...document(1), catalog: '{"plans":7}' },
    // Intl throws for these, and the page that shows them would be blank.
    document(1, priced({ currency: 'us$' })),
    document(1, priced({ amount: 1e300 })),
    document(1, priced({ prices: { e: 1 } })),
    { ...document(1), catalog: '{' },
    { old: true },
  ]) {
    await aBrowser(stored).page();
    expect(shown()).toBe(500);
  }
});

it('stores it again for a page that is open while the storage is cleared', async () => {
  providePricing(testCatalog);
  const browser = aBrowser();
  await browser.page();
  browser.mirror.follow(true);
  await browser.says(document(1));
  await browser.clear();
  expect(shown()).toBe(500);
  browser.mirror.ensure();
  await vi.waitFor(() => expect(shown()).toBe(9_900));
  await browser.says(undefined);
  browser.mirror.ensure();
  await Promise.resolve();
  expect(browser.stored()).toBeUndefined();
});

it('listens once while somebody is signed in, and again after it failed', () => {
  const browser = aBrowser();
  for (const isSignedIn of [true, true, false, true]) browser.mirror.follow(isSignedIn);
  expect(browser.listens).toHaveBeenCalledTimes(2);
  browser.fails();
  browser.mirror.follow(true);
  expect(browser.listens).toHaveBeenCalledTimes(3);
  browser.mirror.follow(false);
  expect(browser.isListening()).toBe(false);
});

it('listens only while somebody looks: prices are read by pages alone', () => {
  const browser = aBrowser();
  browser.leave();
  browser.mirror.follow(true);
  expect(browser.isListening()).toBe(false);
  browser.mirror.ensure();
  expect(browser.isListening()).toBe(true);
  browser.leave();
  expect(browser.isListening()).toBe(false);
});

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { trim } from '../bundle/trim-protos.ts';

const message = (fields: Record<string, string>, nested = {}) => ({
  fields: Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, { type }])),
  nested,
});

it('keeps a service, what its messages lead to, and nothing else', () => {
  const shop = {
    Orders: { methods: { Buy: { requestType: 'Order', responseType: 'shop.Receipt' } } },
    Order: message({ item: 'Item', count: 'int32', kind: 'Kind' }, { Kind: { values: { GIFT: 0 } } }),
    Receipt: message({ at: 'google.Time', of: 'Receipt' }),
    Item: message({ name: 'string' }),
    Refund: message({ of: 'Receipt' }),
  };
  const all = {
    nested: { shop: { nested: shop }, google: { nested: { Time: message({}), Any: message({}) } } },
  };
  const { Refund: _, ...kept } = shop;
  expect(trim(all, ['shop.Orders'])).toEqual({
    nested: { shop: { nested: kept }, google: { nested: { Time: message({}) } } },
  });
});

it('keeps what a message needs of the one that another lies in', () => {
  const outer = message({}, { Inner: message({ other: 'Other' }) });
  const all = {
    nested: {
      Api: { methods: { Get: { requestType: 'Outer.Inner', responseType: 'Outer.Inner' } } },
      Outer: outer,
      Other: message({}),
    },
  };
  expect(trim(all, ['Api'])).toEqual(all);
});

it('says which service is gone', () => {
  expect(() => trim({ nested: {} }, ['google.firestore.v1.Firestore'])).toThrow(
    'google.firestore.v1.Firestore',
  );
});

it('leaves a third of Firestore’s own file', () => {
  const file = new URL(
    '../../node_modules/@google-cloud/firestore-api/build/protos/protos.json',
    import.meta.url,
  );
  const all = readFileSync(fileURLToPath(file), 'utf8');
  const trimmed = JSON.stringify(trim(JSON.parse(all), ['google.firestore.v1.Firestore']));
  expect(trimmed.length).toBeLessThan(JSON.stringify(JSON.parse(all)).length / 2);
  expect(trimmed).toContain('"CommitRequest"');
  expect(trimmed).toContain('"Timestamp"');
  expect(trimmed).not.toContain('"CreateDatabaseRequest"');
});

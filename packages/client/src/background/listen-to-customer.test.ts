import type { FirebaseApp } from 'firebase/app';
import { expect, it, vi } from 'vitest';
import { createListenToCustomer } from './listen-to-customer.ts';

type Deliver = (snapshot: object) => void;
const { sdk } = vi.hoisted(() => ({
  sdk: { deliver: (() => {}) as (snapshot: object) => void, options: {} as object, path: [] as unknown[] },
}));
vi.mock('firebase/firestore', () => ({
  getFirestore: () => ({}),
  connectFirestoreEmulator: () => {},
  doc: (_firestore: object, ...path: unknown[]) => {
    sdk.path = path;
    return {};
  },
  onSnapshot(_document: object, options: object, deliver: Deliver) {
    Object.assign(sdk, { options, deliver });
    return () => {};
  },
}));

function listener() {
  const config = { apiBaseUrl: '', firebase: { projectId: 'demo', apiKey: 'key' } };
  const heard: unknown[] = [];
  createListenToCustomer({} as FirebaseApp, config)('ada', {
    onRecord: (record) => heard.push(record === null ? null : record.paid),
    onSilence: () => heard.push('silence'),
    onError: () => heard.push('error'),
  });
  return heard;
}
const from = (fromCache: boolean, data?: object): object => ({ metadata: { fromCache }, data: () => data });

it('believes the server, and never the cache: an offline start would look like "free"', () => {
  const heard = listener();
  expect([sdk.path, sdk.options]).toEqual([['customers', 'ada'], { includeMetadataChanges: true }]);
  sdk.deliver(from(true));
  sdk.deliver(from(true, { paid: false }));
  expect(heard).toEqual(['silence', 'silence']);
  sdk.deliver(from(false, { paid: true }));
  sdk.deliver(from(false));
  expect(heard).toEqual(['silence', 'silence', true, null]);
});

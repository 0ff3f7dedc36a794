import { expect, it } from 'vitest';
import { liveCatalog } from '../../../../functions/src/store/catalog.ts';
import { keptLog } from '../../../../functions/test/app/serve-app.ts';
import { MemoryFirestore } from '../../../../functions/test/model/memory-firestore.ts';
import { catalog } from '../local/catalog.ts';
import { noteSource } from './import.ts';

it.each([
  ['firestore-stripe-payments', true],
  ['extensionpay', false],
] as const)(
  'after an import from %s the service takes the account for shared: %s',
  async (source, isShared) => {
    const firestore = new MemoryFirestore().connect();
    await noteSource({ firestore }, source);
    const now = () => 1_000_000;
    const live = liveCatalog({ firestore: () => firestore, embedded: catalog, now, log: keptLog() });
    await live.ready();
    expect(live.sharesAccount()).toBe(isShared);
  },
);

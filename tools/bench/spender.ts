// One more instance of the store: spends what its parent asks for, all at once, and tells how it went.

import { randomUUID } from 'node:crypto';
import { Firestore } from 'firebase-admin/firestore';
import { commitCredits } from '../../functions/src/credits/commit.ts';
import { asUid } from '../../functions/test/fixtures/as-uid.ts';
import { sold } from '../../packages/cli/src/local/sold.ts';

export interface Order {
  readonly uid: string;
  readonly count: number;
}
export interface Outcome {
  readonly granted: number;
}

const firestore = new Firestore({ projectId: process.env.GCLOUD_PROJECT ?? 'demo-extension-billing' });
await firestore.doc('customers/warm-up').get();

process.on('message', async ({ uid, count }: Order) => {
  const work = Array.from({ length: count }, () =>
    commitCredits(
      firestore,
      asUid(uid),
      { kind: 'consume', key: randomUUID(), feature: sold.feature, cost: 1 },
      Date.now(),
    ),
  );
  const settled = await Promise.allSettled(work);
  const granted = settled.filter((one) => one.status === 'fulfilled' && one.value.kind === 'granted').length;
  process.send?.({ granted } satisfies Outcome);
});
process.once('disconnect', () => process.exit());
process.send?.('ready');

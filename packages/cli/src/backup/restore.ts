import { CannotConnect } from '../support/connect.ts';
import { replaceDocuments } from './documents.ts';
import { type Manifest, openBackup } from './folder.ts';
import type { LocalSuite } from './local-suite.ts';
import { movingAddresses } from './move-addresses.ts';
import { quieten, restoreProvider, signedWith } from './provider-state.ts';
import { replaceUsers } from './users.ts';

/**
 * Puts a backup in place of everything that a suite holds, also of a suite on other ports. The simulator comes last:
 * it goes on delivering, and bills what fell due since.
 *
 * @throws CannotConnect before anything is touched, where the backup is damaged or is of another provider
 */
export async function restore(suite: LocalSuite, folder: string): Promise<Manifest> {
  const { manifest, documents, users, provider } = openBackup(folder, ({ addresses }) =>
    movingAddresses(addresses, suite.addresses),
  );
  if ((provider === null) !== (suite.provider === null)) {
    throw new CannotConnect(
      provider === null
        ? 'This backup was made with Stripe’s test mode, and this suite runs with the simulator.'
        : 'This backup has the simulator’s state, and this suite runs with Stripe’s test mode.',
    );
  }
  if (suite.provider !== null) await quieten(suite.provider);
  await replaceDocuments(suite.firestore, documents);
  await replaceUsers(suite.auth, users);
  if (suite.provider !== null && provider !== null) {
    await restoreProvider(suite.provider, signedWith(provider, suite.secrets.PAYMENT_WEBHOOK_SECRET));
  }
  return manifest;
}

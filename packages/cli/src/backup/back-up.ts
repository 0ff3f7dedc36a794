import { readDocuments } from './documents.ts';
import { type Manifest, writeBackup } from './folder.ts';
import type { LocalSuite } from './local-suite.ts';
import { type ProviderState, whileHeld } from './provider-state.ts';
import { readUsers } from './users.ts';

/**
 * Writes Firestore, the auth users and the simulator's state into one folder, fitting together while the suite is in
 * use: the simulator comes first and delivers nothing meanwhile, so the records know of nothing that it does not.
 */
export async function backUp(suite: LocalSuite, folder: string): Promise<Manifest> {
  const write = async (provider: ProviderState | null): Promise<Manifest> => {
    const documents = readDocuments(suite.firestore);
    return writeBackup(folder, { documents, users: await readUsers(suite.auth), provider }, suite.addresses);
  };
  return suite.provider === null ? write(null) : whileHeld(suite.provider, write);
}

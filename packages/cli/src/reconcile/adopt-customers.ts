import { parseUid, type Uid } from '../../../../functions/src/domain/uid.ts';
import { readMetadata } from '../../../../functions/src/provider/metadata.ts';
import type { CheckDeps } from '../../../../functions/src/reconcile/check-user.ts';
import { paths } from '../../../../functions/src/store/paths.ts';

/**
 * Finds the provider's customers that name a user in their metadata, as checkout writes it, and that this service
 * does not know: after a loss of the database, all of them. With `apply` it takes them in, and a comparison then finds
 * what they bought.
 *
 * @param only one user's; null for everybody's
 * @returns the users whose customers were not known
 */
export async function adoptCustomers(
  deps: CheckDeps,
  only: Uid | null,
  apply: boolean,
): Promise<ReadonlySet<Uid>> {
  const stripe = await deps.stripe();
  const unknown = new Set<Uid>();
  for await (const { id, metadata } of stripe.customers.list({ limit: 100 })) {
    const uid = parseUid(readMetadata(metadata).uid);
    if (uid === null || (only !== null && uid !== only)) continue;
    const customer = paths.providerCustomer(deps.firestore, id);
    if ((await customer.get()).exists) continue;
    unknown.add(uid);
    if (apply) await customer.create({ uid });
  }
  return unknown;
}

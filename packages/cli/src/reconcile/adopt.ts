import type { CheckDeps } from '../../../../functions/src/reconcile/user.ts';
import { parseUid, paths, type Uid } from '../../../../functions/src/store/documents.ts';
import { readMetadata } from '../../../../functions/src/stripe/fields.ts';

/** The provider's largest page. */
const PAGE = 100;

/**
 * Finds the provider's customers that name a user in their metadata, as checkout writes it, and that this service
 * does not know: after a loss of the database, all of them. With `apply` it takes them in, and a comparison then finds
 * what they bought.
 *
 * @param only one user's; null for everybody's
 * @param after of the last page that was gone through; null for all
 * @param onPage where it is after a page, null at the end; false stops it
 * @returns how many were not known
 */
export async function adoptCustomers(
  { firestore, ...deps }: CheckDeps,
  only: Uid | null,
  apply: boolean,
  after: string | null = null,
  onPage: (cursor: string | null, done: number, unknown: number) => boolean = () => true,
): Promise<{ readonly unknown: number }> {
  const stripe = await deps.stripe();
  let [cursor, done, unknown] = [after, 0, 0];
  for (;;) {
    const page = await stripe.customers.list({
      limit: PAGE,
      ...(cursor !== null && { starting_after: cursor }),
    });
    const named = page.data.flatMap(({ id, metadata }) => {
      const uid = parseUid(readMetadata(metadata).uid);
      return uid === null || (only !== null && uid !== only) ? [] : [{ id, uid }];
    });
    const refs = named.map(({ id }) => paths.providerCustomer(firestore, id));
    const known = refs.length === 0 ? [] : await firestore.getAll(...refs);
    const missing = named.filter((_, index) => known[index]?.exists !== true);
    if (apply) {
      await Promise.all(missing.map(({ id, uid }) => paths.providerCustomer(firestore, id).create({ uid })));
    }
    done += page.data.length;
    unknown += missing.length;
    cursor = page.has_more ? (page.data.at(-1)?.id ?? null) : null;
    if (!onPage(cursor, done, unknown) || cursor === null) return { unknown };
  }
}

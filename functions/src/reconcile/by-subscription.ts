import { readFacts } from '../events/apply.ts';
import { NO_FACTS } from '../events/facts.ts';
import { parseUid, paths, type Uid } from '../store/documents.ts';
import { type ListedSubscription, listSubscriptions } from '../stripe/pages.ts';
import { sellerOf } from '../stripe/seal.ts';
import { differsFromListed } from './compare.ts';
import { differs, type Look } from './look.ts';
import type { PassPage, PassState } from './pass.ts';

/** Every running subscription against its user's facts, a hundred a call and a read each; only who differs is looked at. */
export async function bySubscription(look: Look, pass: PassState): Promise<PassPage> {
  const { deps } = look;
  const { rows, next } = await listSubscriptions(await deps.stripe(), sellerOf(deps), pass.cursor);
  const owners = await ownersOf(look, rows);
  const uids = [...new Set(owners.values())];
  const known = new Map<Uid, ReturnType<typeof readFacts>>();
  if (uids.length > 0) {
    const stored = await deps.firestore.getAll(...uids.map((uid) => paths.facts(deps.firestore, uid)));
    for (const [index, uid] of uids.entries()) known.set(uid, readFacts(stored[index]));
  }
  const catalog = deps.catalog();
  const differing = rows.flatMap((listed): readonly Uid[] => {
    const uid = owners.get(listed.id);
    if (uid === undefined) return [];
    const facts = known.get(uid)?.facts ?? NO_FACTS;
    return differs(() => differsFromListed(facts, listed, catalog)) ? [uid] : [];
  });
  return (await look.at(differing)) === 'away' ? 'away' : { next, done: rows.length };
}

/** Whose each subscription is: by its own word, else by its customer. One of nobody here is left out. */
async function ownersOf(
  { deps: { firestore } }: Look,
  rows: readonly ListedSubscription[],
): Promise<ReadonlyMap<string, Uid>> {
  const unnamed = rows.flatMap(({ uid, customer }) => (uid === null && customer !== null ? [customer] : []));
  const customers = [...new Set(unnamed)];
  const byCustomer = new Map<string, Uid>();
  if (customers.length > 0) {
    const stored = await firestore.getAll(...customers.map((id) => paths.providerCustomer(firestore, id)));
    for (const owned of stored) {
      const uid = parseUid(owned.get('uid'));
      if (uid !== null) byCustomer.set(owned.id, uid);
    }
  }
  const owners = new Map<string, Uid>();
  for (const { id, uid, customer } of rows) {
    const owner = uid ?? byCustomer.get(customer ?? '');
    if (owner !== undefined) owners.set(id, owner);
  }
  return owners;
}

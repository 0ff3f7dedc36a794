import { type Catalog, isPlanKey } from '@extension-billing/contract/catalog';
import { isOver } from '@extension-billing/contract/subscription-status';
import type { Stripe } from 'stripe';
import { readStoredAccount } from '../../../../functions/src/events/apply.ts';
import { mirrorRights } from '../../../../functions/src/events/claims.ts';
import { NO_FACTS } from '../../../../functions/src/events/facts.ts';
import { readAudits, revokeGrant } from '../../../../functions/src/events/grants.ts';
import { commitDerived } from '../../../../functions/src/reconcile/user.ts';
import { findAccount } from '../../../../functions/src/store/accounts.ts';
import { parseUid, type Uid } from '../../../../functions/src/store/documents.ts';
import { idOf, readMetadata } from '../../../../functions/src/stripe/fields.ts';
import { isOfOtherProject } from '../../../../functions/src/stripe/sale.ts';
import { retrievePlanned } from '../../../../functions/src/stripe/schedules.ts';
import type { SupportDeps } from '../support/connect.ts';
import { queries } from '../support/queries.ts';
import { unlessOver, unlink, writeTag } from './apply.ts';
import { actorOf, type Tag } from './decide.ts';
import { forget, forgetCustomers, hasOwn } from './forget.ts';
import { isUnusedOfImport } from './look.ts';
import { ownerOf, sourceOf, unmark, untag } from './mark.ts';
import type { Source } from './person.ts';

/** All that an import has brought for one user and that is still there. */
export interface Taken {
  readonly uid: Uid;
  readonly customers: readonly Stripe.Customer[];
  readonly subscriptions: readonly Stripe.Subscription[];
  /** Imported, and changed to a plan of this service's since: what they are for was bought here. */
  readonly changed: readonly Stripe.Subscription[];
  readonly charges: readonly Stripe.Charge[];
  /** Grants by hand that stand. */
  readonly gifts: readonly string[];
}

/**
 * What an import has brought, by user, from the marks on Stripe's objects and from the audit records. What another
 * project's import wrote in the same Stripe account is that one's.
 *
 * @throws the SDK's error where Stripe cannot be asked
 */
export async function findTaken(deps: SupportDeps, source: Source): Promise<readonly Taken[]> {
  const stripe = await deps.stripe();
  const all = new Map<Uid, Taken>();
  const add = (uid: Uid | null, more: (known: Taken) => Partial<Taken>) => {
    if (uid === null) return;
    const known = all.get(uid) ?? {
      uid,
      customers: [],
      subscriptions: [],
      changed: [],
      charges: [],
      gifts: [],
    };
    all.set(uid, { ...known, ...more(known) });
  };
  const isOurs = (each: { readonly metadata: Stripe.Metadata }): boolean =>
    sourceOf(each.metadata) === source && !isOfOtherProject(each, { project: deps.config.project });
  for await (const each of stripe.customers.list({ limit: 100 }))
    if (isOurs(each)) add(ownerOf(each.metadata), ({ customers }) => ({ customers: [...customers, each] }));
  for await (const each of stripe.subscriptions.list({ status: 'all', limit: 100 })) {
    if (!isOurs(each)) continue;
    const isBoughtHere = await isChanged(stripe, each, deps.catalog());
    add(ownerOf(each.metadata), ({ subscriptions, changed }) =>
      isBoughtHere ? { changed: [...changed, each] } : { subscriptions: [...subscriptions, each] },
    );
  }
  for await (const each of stripe.charges.list({ limit: 100 }))
    if (isOurs(each)) add(ownerOf(each.metadata), ({ charges }) => ({ charges: [...charges, each] }));
  for (const [uid, gifts] of await standingGifts(deps, source)) add(uid, () => ({ gifts }));
  return [...all.values()].filter(isAny);
}

/**
 * Whether a subscription runs at a plan of this service's that it had not when it was imported, or is scheduled to change
 * to one: the user confirmed that here, and Stripe will charge them for it.
 */
async function isChanged(
  stripe: Stripe,
  { id, items, metadata, schedule }: Stripe.Subscription,
  catalog: Catalog,
): Promise<boolean> {
  const price = items.data[0]?.price;
  if (price === undefined) return false;
  if (isPlanKey(catalog, price.lookup_key) && price.id !== readMetadata(metadata).priceId) return true;
  const planned = schedule === null ? null : await retrievePlanned(stripe, id);
  return isPlanKey(catalog, planned?.plan ?? null);
}

/** A subscription that is over is not worth a word by itself. */
function isAny({ customers, subscriptions, changed, charges, gifts }: Taken): boolean {
  const running = [...subscriptions, ...changed].filter(({ status }) => !isOver(status));
  return customers.length + running.length + charges.length + gifts.length > 0;
}

/** The grants of an import that stand, by user. */
export async function standingGifts(
  { firestore }: Pick<SupportDeps, 'firestore'>,
  source: Source,
): Promise<ReadonlyMap<Uid, readonly string[]>> {
  const actor = actorOf(source);
  const { docs } = await queries.auditsBy(firestore, actor).get();
  const uids = new Set(docs.flatMap((doc) => parseUid(doc.get('uid')) ?? []));
  const standing = new Map<Uid, readonly string[]>();
  for (const uid of uids) {
    const audits = await readAudits(firestore, uid);
    const revoked = new Set(audits.flatMap(({ what, grant }) => (what === 'revoke' ? [grant] : [])));
    const gifts = audits.filter(
      (audit) => audit.what === 'grant' && audit.actor === actor && !revoked.has(audit.grant),
    );
    if (gifts.length > 0)
      standing.set(
        uid,
        gifts.map(({ grant }) => grant),
      );
  }
  return standing;
}

/**
 * Takes back what an import brought for one user: at Stripe the metadata is as it was, here the facts are those of what
 * else the user has. Nothing is cancelled and nothing is deleted but a sign-in that nobody ever used. Again: nothing to do.
 *
 * @throws what Stripe, Firebase or Firestore throw where they cannot be asked
 */
export async function giveBack(deps: SupportDeps, source: Source, taken: Taken): Promise<void> {
  const { uid } = taken;
  const { stored } = await readStoredAccount(deps.firestore, uid);
  const brought = {
    subscriptions: new Set(taken.subscriptions.map(({ id }) => id)),
    purchases: new Set(taken.charges.map((charge) => idOf(charge.payment_intent) ?? charge.id)),
  };
  // Whoever bought something here since did so as the same customer of Stripe's, who stays theirs.
  const keeps = hasOwn(stored?.facts ?? NO_FACTS, brought);
  const customers = keeps ? [] : taken.customers;
  const untagged: readonly Tag[] = [
    ...taken.subscriptions.map(({ id, metadata }) => tagOf('subscription', id, metadata)),
    ...taken.changed.map(({ id }): Tag => ({ kind: 'subscription', id, metadata: unmark() })),
    ...taken.charges.map(({ id, metadata }) => tagOf('charge', id, metadata)),
    ...taken.customers.map(
      ({ id, metadata }): Tag =>
        keeps ? { kind: 'customer', id, metadata: unmark() } : tagOf('customer', id, metadata),
    ),
  ];
  for (const { id } of customers) await unlink(deps, uid, id);
  for (const grant of taken.gifts)
    await revokeGrant(deps, uid, { grant, actor: actorOf(source), reason: 'the import was undone' });
  // The marks go last: until then another run finds what is left.
  await forgetAll(deps, uid, brought, new Set(customers.map(({ id }) => id)));
  for (const each of untagged) await writeTag(deps, each).catch(unlessOver);
  // Stripe told of each change: what an event of it brought back before it said that it is nobody's.
  await forgetAll(deps, uid, brought, new Set(customers.map(({ id }) => id)));
  await mirrorRights(deps, uid);
  await removeUnusedSignIn(deps, uid);
}

function tagOf(kind: Tag['kind'], id: string, metadata: Stripe.Metadata): Tag {
  return { kind, id, metadata: untag(metadata) };
}

async function forgetAll(
  deps: SupportDeps,
  uid: Uid,
  brought: Parameters<typeof forget>[1],
  customers: ReadonlySet<string>,
): Promise<void> {
  const now = deps.now();
  await commitDerived(deps, uid, `undo_${now}`, now, (facts) =>
    forgetCustomers(forget(facts, brought), customers),
  );
}

/**
 * A sign-in that an import made and that nobody has used. One for which a backend has spent credits stays: a later import
 * has to find what was spent.
 */
async function removeUnusedSignIn(deps: SupportDeps, uid: Uid): Promise<void> {
  const account = await findAccount(deps.auth, uid);
  if (account === null || !isUnusedOfImport(account)) return;
  if (!(await hasSpent(deps, uid))) await deps.auth.deleteUser(uid);
}

async function hasSpent({ firestore }: SupportDeps, uid: Uid): Promise<boolean> {
  const { stored } = await readStoredAccount(firestore, uid);
  if (stored === null) return false;
  const { spentOfGrants, spentOfLots, withdrawn = {} } = stored.allocation;
  const spent = [...Object.values(spentOfGrants), ...Object.values(spentOfLots)];
  return spent.some((credits) => credits > 0) || Object.keys(withdrawn).length > 0;
}

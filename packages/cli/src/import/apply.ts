import { grantByHand } from '../../../../functions/src/events/grants.ts';
import { repairUser } from '../../../../functions/src/reconcile/user.ts';
import { paths, type Uid } from '../../../../functions/src/store/documents.ts';
import type { SupportDeps } from '../support/connect.ts';
import { actorOf, type Decision, type Gift, type Seen, type Tag } from './decide.ts';
import type { Person, Source } from './person.ts';

/** An import is the owner's own act on all of their users at once, and no key of a backend's can call it. */
const NO_LIMIT = { creditsPerDay: Number.MAX_SAFE_INTEGER, grantsPerDay: Number.MAX_SAFE_INTEGER };

/**
 * Takes one person over. Each step may be done already, and a run that is cut off is finished by the next: what says that
 * it is an import's stands on each object.
 *
 * @returns what is left for a person to look at, a line each
 * @throws what Stripe, Firebase or Firestore throw where they cannot be asked
 */
export async function takeOver(
  deps: SupportDeps,
  source: Source,
  { mail }: Person,
  seen: Seen,
  decision: Decision,
): Promise<readonly string[]> {
  const { uid, signIn } = seen;
  const { firestore } = deps;
  // The mail address is proven by whoever signs in with it: a link, a new password, or Google.
  if (signIn === 'new' && mail !== null)
    await deps.auth.createUser({ uid, email: mail, emailVerified: false });
  if (decision.marksTrial) await paths.customer(firestore, uid).set({ trialUsed: true }, { merge: true });
  // First whose the customer is: from then on the webhook knows whom an event of it is about.
  for (const customer of decision.links)
    await paths.providerCustomer(firestore, customer).set({ uid }, { merge: true });
  for (const each of decision.tags) await writeTag(deps, each);
  const refused: string[] = [];
  for (const gift of decision.gifts) refused.push(...(await give(deps, uid, source, seen, gift)));
  const { after } = await repairUser(deps, uid);
  const left = after.differences.map(({ about, here, should }) => `${about}: ${here}, should be ${should}`);
  return [...refused, ...left];
}

/** Writes metadata onto one of Stripe's objects; what it has beside that stays. */
export async function writeTag(
  deps: Pick<SupportDeps, 'stripe'>,
  { kind, id, metadata }: Tag,
): Promise<void> {
  const stripe = await deps.stripe();
  switch (kind) {
    case 'customer':
      await stripe.customers.update(id, { metadata });
      return;
    case 'subscription':
      await stripe.subscriptions.update(id, { metadata });
      return;
    case 'charge':
      await stripe.charges.update(id, { metadata });
      return;
    default:
      kind satisfies never;
  }
}

async function give(
  deps: SupportDeps,
  uid: Uid,
  source: Source,
  { audits }: Seen,
  { reason, entitlement, until }: Gift,
): Promise<readonly string[]> {
  // What was given before and taken back, or has ended, was another grant.
  const before = audits.filter((audit) => audit.what === 'grant' && audit.reason === reason).length;
  const asked = {
    ...{ actor: actorOf(source), reason, key: `${reason} ${before}` },
    ...{ credits: 0, ends: null, entitlement, until },
  };
  const handled = await grantByHand(deps, uid, asked, NO_LIMIT);
  return handled.kind === 'refused' ? [`${reason}: ${handled.detail} (${handled.code})`] : [];
}

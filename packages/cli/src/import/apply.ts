import { isDeleted, reopenAccount } from '../../../../functions/src/events/deletion.ts';
import { grantByHand } from '../../../../functions/src/events/grants.ts';
import { repairUser } from '../../../../functions/src/reconcile/user.ts';
import { findAccount } from '../../../../functions/src/store/accounts.ts';
import { paths, SCHEMA_VERSION, type Uid } from '../../../../functions/src/store/documents.ts';
import { isMissing, isRefusedRequest } from '../../../../functions/src/stripe/client.ts';
import type { SupportDeps } from '../support/connect.ts';
import { actorOf, type Decision, type Gift, type Seen, stillCharging, type Tag } from './decide.ts';
import { untag } from './mark.ts';
import type { Person, Source } from './person.ts';

/** An import is the owner's own act on all of their users at once, and no key of a backend's can call it. */
const NO_LIMIT = { creditsPerDay: Number.MAX_SAFE_INTEGER, grantsPerDay: Number.MAX_SAFE_INTEGER };

/**
 * Takes one person over. Each step may be done already, and a run that is cut off is finished by the next: what says that
 * it is an import's stands on each object.
 *
 * @returns what is left for a person to look at, a line each
 * @throws SignInTaken if somebody else made a sign-in for this mail address since it was looked for
 * @throws what Stripe, Firebase or Firestore throw where they cannot be asked
 */
export async function takeOver(
  deps: SupportDeps,
  source: Source,
  { mail, taken }: Person,
  seen: Seen,
  decision: Decision,
): Promise<readonly string[]> {
  const { uid, signIn } = seen;
  const { firestore } = deps;
  if (signIn === 'new' && mail !== null) await makeSignIn(deps, uid, mail);
  else if (await isGone(deps, seen)) return [describeGone(seen)];
  if (decision.marksTrial) {
    // With a form it is this service's own: no later import takes it for the owner's.
    const fields = { trialUsed: true, ...(taken.length === 0 && { schemaVersion: SCHEMA_VERSION }) };
    await paths.customer(firestore, uid).set(fields, { merge: true });
  }
  // First whose the customer is: from then on the webhook knows whom an event of it is about.
  for (const customer of decision.links)
    await paths.providerCustomer(firestore, customer).set({ uid }, { merge: true });
  const failure = await writeTags(deps, decision.tags).catch((error: unknown) => error);
  // A deletion that begins from now on finds the customers, and ends what they charge. An earlier one may have missed them.
  if (await isGone(deps, seen)) {
    for (const { kind, id, metadata } of decision.tags)
      await writeTag(deps, { kind, id, metadata: untag(metadata) }).catch(unlessOver);
    for (const customer of decision.links) await unlink(deps, uid, customer);
    return [describeGone(seen)];
  }
  if (failure !== undefined) throw failure;
  const refused: string[] = [];
  for (const gift of decision.gifts) refused.push(...(await give(deps, uid, source, seen, gift)));
  const isBought = decision.tags.length + decision.links.length > 0;
  if (signIn === 'new' && refused.length > 0 && refused.length === decision.gifts.length && !isBought) {
    await deps.auth.deleteUser(uid);
    return refused;
  }
  const { after } = await repairUser(deps, uid);
  const left = after.differences.map(({ about, here, should }) => `${about}: ${here}, should be ${should}`);
  return [...refused, ...left];
}

/** A mail address has a sign-in that it had not when it was looked for: another import's, or its owner's. */
export class SignInTaken extends Error {}

/** The mail address is proven by whoever signs in with it: a link, a new password, or Google. */
async function makeSignIn({ auth }: SupportDeps, uid: Uid, mail: string): Promise<void> {
  try {
    await auth.createUser({ uid, email: mail, emailVerified: false });
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'auth/email-already-exists';
    throw isTaken ? new SignInTaken(`${mail} has a sign-in since it was looked for`) : error;
  }
}

/** Whether an account was deleted after it was looked at: an import of thousands takes minutes. */
async function isGone(deps: SupportDeps, { uid, signIn }: Seen): Promise<boolean> {
  const facts = await paths.facts(deps.firestore, uid).get();
  if (isDeleted(facts)) return !(await reopenAccount(deps, uid));
  return signIn === 'there' && (await findAccount(deps.auth, uid)) === null;
}

function describeGone({ customers }: Seen): string {
  return `the account was deleted since it was looked at; ${stillCharging(customers)}`;
}

/** A subscription that ended meanwhile may not be written to any more; it brings nothing, whatever it says. */
export function unlessOver(error: unknown): void {
  if (!isMissing(error) && !isRefusedRequest(error)) throw error;
}

/** Makes a customer nobody's, if it is this user's. */
export async function unlink(
  { firestore }: Pick<SupportDeps, 'firestore'>,
  uid: Uid,
  customer: string,
): Promise<void> {
  const ref = paths.providerCustomer(firestore, customer);
  const known = await ref.get();
  if (known.get('uid') === uid) await ref.delete();
}

async function writeTags(deps: Pick<SupportDeps, 'stripe'>, tags: readonly Tag[]): Promise<void> {
  for (const each of tags) await writeTag(deps, each);
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

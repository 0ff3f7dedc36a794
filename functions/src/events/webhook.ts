import type { WebhookResponse } from '@extension-billing/contract/api';
import type { RequestHandler } from 'express';
import type { Firestore } from 'firebase-admin/firestore';
import type { Stripe } from 'stripe';
import type { Config } from '../config.ts';
import type { AppDeps } from '../deps.ts';
import { InvalidRequest, sendJson, sendProblem, Unavailable } from '../http/answer.ts';
import { logOf, withLog } from '../http/gates.ts';
import { isDocumentId, LARGEST_DOCUMENT, parseUid, paths, type Uid } from '../store/documents.ts';
import { isNotFound } from '../stripe/client.ts';
import type { BillingEvent, Fact } from '../stripe/facts.ts';
import { isOfOtherProject, readInstant } from '../stripe/fields.ts';
import { completeInvoice } from '../stripe/invoices.ts';
import { disputeOn, traceCharge } from '../stripe/purchases.ts';
import { endBesideLifetime, listBilling, readSubscription } from '../stripe/subscriptions.ts';
import { type Owner, translateEvent } from '../stripe/translate.ts';
import { type Committed, commitEvent, mirrorPaid, takeTicket } from './apply.ts';
import type { Answer } from './subscription.ts';

/** Ids become document ids; the provider's have up to 255 characters. */
const LONGEST_ID = 255;

/**
 * POST /billing/webhook: the provider's signed events (specification, "Events"). The signature is checked on the
 * bytes as they came. Any failure is a non-2xx answer with nothing written, so that the provider tries again.
 */
export function webhookRoute(deps: AppDeps): RequestHandler {
  return async (req, res) => {
    const signature = req.headers['stripe-signature'];
    const event = await verify(deps, req.body as Buffer, typeof signature === 'string' ? signature : '');
    if (event === null) {
      logOf(res).warn('webhook_refused', { reason: 'signature' });
      sendProblem(res, 'invalid_signature', "Sign the raw body with this endpoint's own signing secret.");
      return;
    }
    if (isOfOtherMode(event, deps.config.providerSecretKey)) {
      logOf(res).warn('webhook_refused', { reason: 'mode' });
      const detail = "The event and this service's key are not of the same mode, test or live.";
      sendProblem(res, 'invalid_request', detail);
      return;
    }
    sendJson(res, 200, await handleEvent(withLog(deps, logOf(res)), event));
  };
}

/** The event, or null when the signature is missing, stale, or not made for this body with this secret. */
async function verify(deps: AppDeps, body: Buffer, signature: string): Promise<Stripe.Event | null> {
  const stripe = await deps.stripe();
  let event: unknown;
  try {
    event = stripe.webhooks.constructEvent(body, signature, deps.config.webhookSecret);
  } catch (error) {
    if (error instanceof SyntaxError) throw new InvalidRequest('The body is not valid JSON.');
    return null;
  }
  if (!isEvent(event)) throw new InvalidRequest('The body is not an event.');
  return event;
}

/** Test cards pay nothing: what they buy is nothing to a service that takes real money, and the other way round. */
function isOfOtherMode({ livemode }: Partial<Stripe.Event>, secretKey: string): boolean {
  return typeof livemode === 'boolean' && livemode !== /^[rs]k_live_/.test(secretKey);
}

function isEvent(value: unknown): value is Stripe.Event {
  if (typeof value !== 'object' || value === null) return false;
  const { id, type, created, data } = value as Partial<Record<'id' | 'type' | 'created' | 'data', unknown>>;
  const object = typeof data === 'object' && data !== null && 'object' in data ? data.object : null;
  return (
    isDocumentId(id, LONGEST_ID) &&
    typeof type === 'string' &&
    readInstant(created) !== null &&
    typeof object === 'object' &&
    object !== null &&
    !Array.isArray(object)
  );
}

type Deps = Pick<AppDeps, 'firestore' | 'auth' | 'stripe' | 'now' | 'log'> & {
  readonly config: Pick<Config, 'project'>;
};

/**
 * One verified provider event, from its translation to the claim (design, section 5).
 *
 * @throws Unavailable when the provider cannot be asked or its answer settles nothing: nothing is written then,
 *   and the provider delivers the event again.
 */
export async function handleEvent(deps: Deps, delivered: Stripe.Event): Promise<WebhookResponse> {
  if (isOfOtherProject(delivered.data.object, deps.config.project)) {
    return ignore(deps, delivered, 'sold by another project');
  }
  const translated = translateEvent(delivered);
  if (translated.kind === 'ignored') return ignore(deps, delivered, translated.reason);
  const { ask: question } = translated;
  const subject = await findSubject(deps, translated.owner, translated.event.fact);
  if (subject === null) return ignore(deps, delivered, 'no user');

  const { uid } = subject;
  const fact =
    (await askProvider(() => completeInvoice(deps.stripe, subject.fact, question))) ?? subject.fact;
  const event = { ...translated.event, fact };
  const committed = await commit(deps, uid, event);
  if (committed.kind === 'unrelated') return ignore(deps, delivered, 'refund of nothing that is known');
  // A delivery that is a duplicate may follow one that died before it set the claim.
  if (committed.kind === 'duplicate' || committed.paidChanged) await mirrorPaid(deps, uid);
  if (committed.toEnd !== null) await endBilling(deps, uid, event, committed.toEnd);
  if (committed.kind === 'applied' && committed.factsBytes > LARGEST_DOCUMENT / 2) {
    deps.log.warn('account_large', { bytes: committed.factsBytes, eventId: delivered.id });
  }
  deps.log.info('webhook', { outcome: committed.kind, type: delivered.type, eventId: delivered.id });
  return committed.kind === 'duplicate' ? { outcome: 'duplicate' } : { outcome: 'applied', uids: [uid] };
}

/**
 * Ends what would charge the owner of a lifetime plan again. At the purchase the provider is asked for all that the
 * customer has: an imported account, or one whose events were lost, may have a subscription that was never told of.
 */
async function endBilling(
  deps: Deps,
  uid: Uid,
  { customer, fact }: BillingEvent,
  known: readonly string[],
): Promise<void> {
  const isPurchase = fact.kind === 'purchase_paid' && fact.product === 'lifetime';
  await askProvider(async () => {
    const listed =
      isPurchase && customer !== null
        ? await listBilling(await deps.stripe(), uid, customer, deps.config.project)
        : [];
    await endBesideLifetime(deps, [...new Set([...known, ...listed])]);
  });
}

function ignore({ log }: Deps, { id, type }: Stripe.Event, reason: string): WebhookResponse {
  log.info('webhook', { outcome: 'ignored', type, eventId: id, reason });
  return { outcome: 'ignored' };
}

interface Subject {
  readonly uid: Uid;
  readonly fact: Fact;
}

/** Whose event it is, and what it says of them; null for nobody's. */
async function findSubject(
  deps: Deps,
  { uid, customer, charge }: Owner,
  fact: Fact,
): Promise<Subject | null> {
  if (uid !== null) return { uid, fact };
  if (charge !== null) return findByCharge(deps, charge, fact);
  const owner = customer === null ? null : await findOwner(deps, customer);
  return owner === null ? null : { uid: owner, fact };
}

async function findOwner({ firestore }: Deps, customer: string): Promise<Uid | null> {
  return parseUid(await findUserOfCustomer(firestore, customer));
}

/** A dispute or a refund that failed, which name nobody: their charge does, or what it was paid for. */
async function findByCharge(deps: Deps, charge: string, fact: Fact): Promise<Subject | null> {
  const subject = await askProvider(async () =>
    traceCharge(await deps.stripe(), charge, deps.config.project),
  );
  if (subject === null) return null;
  const isDispute = fact.kind === 'dispute_seen';
  // The refund of a subscription's invoice changes no right, and so does one that failed.
  if (subject.kind === 'invoice' && !isDispute) return null;
  const named = parseUid(subject.uid);
  const customer = subject.kind === 'invoice' ? subject.customer : null;
  const uid = named ?? (customer === null ? null : await findOwner(deps, customer));
  return uid === null ? null : { uid, fact: isDispute ? disputeOn(fact, subject) : fact };
}

type Settled = Exclude<Committed, { kind: 'undecidable' | 'retry' }>;

/** Questions that one delivery asks: each is outdated by a snapshot that another delivery merges meanwhile. */
const MOST_QUESTIONS = 3;

async function commit(deps: Deps, uid: Uid, event: BillingEvent): Promise<Settled> {
  let committed = await commitEvent(deps.firestore, uid, event, deps.now());
  for (let asked = 0; committed.kind === 'undecidable' && asked < MOST_QUESTIONS; asked += 1) {
    const answer = await ask(deps, uid, committed);
    committed = await commitEvent(deps.firestore, uid, event, deps.now(), answer);
  }
  if (committed.kind === 'undecidable' || committed.kind === 'retry') {
    throw new Unavailable('The order of two changes is not clear yet; deliver the event again.', 5);
  }
  return committed;
}

/** The ticket is taken before the question, so that answers of handlers that ask at once keep their order. */
async function ask(
  deps: Deps,
  uid: Uid,
  { subscription, over }: Extract<Committed, { kind: 'undecidable' }>,
): Promise<Answer> {
  const ticket = await takeTicket(deps.firestore, uid);
  const state = await askProvider(async () =>
    readSubscription(await (await deps.stripe()).subscriptions.retrieve(subscription)),
  );
  deps.log.info('subscription_asked', { subscription, known: state !== null });
  return { ticket, over, state };
}

/** The provider's answer; null when it does not know the object. */
async function askProvider<Found>(question: () => Promise<Found>): Promise<Found | null> {
  try {
    return await question();
  } catch (error) {
    if (isNotFound(error)) return null;
    throw new Unavailable(
      'The payment provider cannot be asked at the moment; deliver the event again.',
      5,
      error,
    );
  }
}

/** The user that a provider customer belongs to, for objects that do not name one; null when nobody is known. */
async function findUserOfCustomer(firestore: Firestore, customerId: string): Promise<string | null> {
  const uid: unknown = (await paths.providerCustomer(firestore, customerId).get()).get('uid');
  return typeof uid === 'string' ? uid : null;
}

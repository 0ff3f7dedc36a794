import type { WebhookResponse } from '@extension-billing/contract/api';
import type { RequestHandler, Response } from 'express';
import type { Firestore } from 'firebase-admin/firestore';
import type { AppDeps } from '../deps.ts';
import { InvalidRequest, sendJson, sendProblem, Unavailable } from '../http/answer.ts';
import { logOf, withLog } from '../http/gates.ts';
import { LARGEST_DOCUMENT, parseUid, paths, type Uid } from '../store/documents.ts';
import { isNotFound } from '../stripe/client.ts';
import type { BillingEvent, Fact } from '../stripe/facts.ts';
import type { Question } from '../stripe/fields.ts';
import { completeInvoice } from '../stripe/invoices.ts';
import { keepSale } from '../stripe/kept-sale.ts';
import { disputeOn, traceCharge, translateCheckoutSession } from '../stripe/purchases.ts';
import type { BesideLifetime } from '../stripe/sale.ts';
import { retrievePlanned } from '../stripe/schedules.ts';
import { type SellerDeps, sellerOf } from '../stripe/seal.ts';
import { listSoldPrices } from '../stripe/sessions.ts';
import { endBesideLifetime, listBilling, retrieveSubscription } from '../stripe/subscriptions.ts';
import {
  type Delivery,
  type Owner,
  type RefusedDelivery,
  readEvent,
  translateEvent,
} from '../stripe/translate.ts';
import { type Committed, commitEvent, takeFencingToken } from './apply.ts';
import { mirrorRights } from './claims.ts';
import type { Answer } from './subscription.ts';

/**
 * POST /billing/webhook: Stripe's signed events (specification, "Events"). The signature is checked on the bytes as they
 * came. Any failure is a non-2xx answer with nothing written, so that Stripe delivers the event again.
 */
export function webhookRoute(deps: AppDeps): RequestHandler {
  return async (req, res) => {
    const { 'stripe-signature': header } = req.headers;
    const signature = typeof header === 'string' ? header : '';
    const read = readEvent(await deps.stripe(), req.body as Buffer, signature, deps.config);
    if (read.kind === 'refused') return refuse(res, read.why);
    await deps.catalogReady();
    const delivery = translateEvent(read.event, sellerOf(deps));
    sendJson(res, 200, await handleDelivery(withLog(deps, logOf(res)), delivery));
  };
}

const REFUSALS = {
  signature: {
    code: 'invalid_signature',
    detail: "Sign the raw body with this endpoint's own signing secret.",
  },
  mode: {
    code: 'invalid_request',
    detail: "The event and this service's key are not of the same mode, test or live.",
  },
} as const;

/** @throws InvalidRequest for a body that is signed and is no event */
function refuse(res: Response, why: RefusedDelivery['why']): void {
  if (why === 'not_json') throw new InvalidRequest('The body is not valid JSON.');
  if (why === 'not_an_event') throw new InvalidRequest('The body is not an event.');
  const { code, detail } = REFUSALS[why];
  logOf(res).warn('webhook_refused', { reason: why });
  sendProblem(res, code, detail);
}

type Deps = Pick<AppDeps, 'firestore' | 'auth' | 'stripe' | 'now' | 'log'> & SellerDeps;

/**
 * One event of Stripe's, from finding its user to the claim (design, section 5).
 *
 * @throws Unavailable when Stripe cannot be asked or its answer settles nothing: nothing is written then, and Stripe
 *   delivers the event again.
 */
export async function handleDelivery(deps: Deps, delivery: Delivery): Promise<WebhookResponse> {
  if (delivery.kind === 'ignored') return ignore(deps, delivery, delivery.reason);
  const subject = await findSubject(deps, delivery.owner, delivery.event.fact);
  if (subject === null) return ignore(deps, delivery, 'no user');

  const { uid } = subject;
  const fact = await complete(deps, subject, delivery.ask);
  const event = { ...delivery.event, fact };
  const committed = await commit(deps, uid, event);
  if (committed.kind === 'unrelated') return ignore(deps, delivery, 'refund of nothing that is known');
  // A delivery that is a duplicate may follow one that died before it set the claim.
  if (committed.kind === 'duplicate' || committed.rightsChanged) await mirrorRights(deps, uid);
  if (delivery.isChanged) await keepSold(deps, uid, event);
  if (committed.toEnd !== null) await endBilling(deps, uid, event, committed.toEnd);
  if (committed.kind === 'applied' && committed.factsBytes > LARGEST_DOCUMENT / 2) {
    deps.log.warn('account_large', { bytes: committed.factsBytes, eventId: delivery.id });
  }
  deps.log.info('webhook', { outcome: committed.kind, type: delivery.type, eventId: delivery.id });
  return committed.kind === 'duplicate' ? { outcome: 'duplicate' } : { outcome: 'applied', uids: [uid] };
}

/** The fact with what its event left open. */
async function complete(deps: Deps, { uid, fact }: Subject, ask: Question | null): Promise<Fact> {
  if (ask === null) return fact;
  const seller = sellerOf(deps);
  switch (ask.kind) {
    case 'schedule': {
      const ticket = await takeFencingToken(deps.firestore, uid);
      const planned = await askStripe(async () => retrievePlanned(await deps.stripe(), ask.subscription));
      return { kind: 'plan_asked', subscription: ask.subscription, planned, ticket, at: fact.at };
    }
    case 'session': {
      const prices = await askStripe(async () => listSoldPrices(await deps.stripe(), ask.session.id));
      return translateCheckoutSession(ask.session, fact.at, seller, prices ?? []).fact;
    }
    case 'lines':
    case 'prices':
    case 'subscription':
      return (await askStripe(() => completeInvoice(deps.stripe, fact, ask, seller))) ?? fact;
    default:
      return ask satisfies never;
  }
}

async function keepSold(deps: Deps, uid: Uid, { fact }: BillingEvent): Promise<void> {
  if (fact.kind === 'subscription_seen') await askStripe(() => keepSale(deps, fact.subscription, uid));
}

/**
 * Ends what would charge the owner of a lifetime plan again. At the purchase the provider is asked for all that the
 * customer has: an imported account, or one whose events were lost, may have a subscription that no event named.
 */
async function endBilling(
  deps: Deps,
  uid: Uid,
  { customer, fact }: BillingEvent,
  { subscriptions, owned }: BesideLifetime,
): Promise<void> {
  const isPurchase = fact.kind === 'purchase_paid' && fact.product === 'lifetime';
  await askStripe(async () => {
    const listed =
      isPurchase && customer !== null
        ? await listBilling(await deps.stripe(), uid, customer, sellerOf(deps), owned)
        : [];
    await endBesideLifetime(deps, { subscriptions: [...new Set([...subscriptions, ...listed])], owned });
  });
}

function ignore({ log }: Deps, { id, type }: Delivery, reason: string): WebhookResponse {
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
  const subject = await askStripe(async () => traceCharge(await deps.stripe(), charge, sellerOf(deps)));
  if (subject === null) return null;
  const isDispute = fact.kind === 'dispute_seen';
  // The refund of a subscription's invoice changes no right, and so does one that failed.
  if (subject.kind === 'invoice' && !isDispute) return null;
  const named = parseUid(subject.uid);
  const { customer } = subject;
  const uid = named ?? (customer === null ? null : await findOwner(deps, customer));
  return uid === null ? null : { uid, fact: isDispute ? disputeOn(fact, subject) : fact };
}

type Settled = Exclude<Committed, { kind: 'undecidable' | 'retry' }>;

/** Questions that one delivery asks: each is outdated by a snapshot that another delivery merges meanwhile. */
const MAX_QUESTIONS = 3;

async function commit(deps: Deps, uid: Uid, event: BillingEvent): Promise<Settled> {
  let committed = await commitEvent(deps, uid, event, deps.now());
  for (let asked = 0; committed.kind === 'undecidable' && asked < MAX_QUESTIONS; asked += 1) {
    const answer = await ask(deps, uid, committed);
    committed = await commitEvent(deps, uid, event, deps.now(), answer);
  }
  if (committed.kind === 'undecidable' || committed.kind === 'retry') {
    throw new Unavailable('The order of two changes is not clear yet; deliver the event again.', 5);
  }
  return committed;
}

/** The fencing token is taken before the question, so that answers of handlers that ask at once keep their order. */
async function ask(
  deps: Deps,
  uid: Uid,
  { subscription, over }: Extract<Committed, { kind: 'undecidable' }>,
): Promise<Answer> {
  const token = await takeFencingToken(deps.firestore, uid);
  const state = await askStripe(async () =>
    retrieveSubscription(await deps.stripe(), subscription, sellerOf(deps)),
  );
  deps.log.info('subscription_asked', { subscription, known: state !== null });
  return { token, over, state };
}

/** Stripe's answer; null where it does not know the object. */
async function askStripe<Found>(question: () => Promise<Found>): Promise<Found | null> {
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

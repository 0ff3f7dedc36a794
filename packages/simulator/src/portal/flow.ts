import type Stripe from 'stripe';
import { intervalName } from '../checkout/page.ts';
import { invalidRequest } from '../http/errors.ts';
import { checkAddress } from '../http/values.ts';
import { previewInvoice } from '../invoices/preview.ts';
import type { HostedAnswer } from '../pages/page.ts';
import type { FlowPlan, FlowView } from '../pages/views.ts';
import { cardOf } from '../payments/attempt.ts';
import { amountIn } from '../prices/currencies.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { phaseAhead, releaseSchedule, scheduleOf } from '../subscriptions/schedules.ts';
import { currentPeriodEnd } from '../subscriptions/subscription.ts';
import { renderFlow } from './flow-html.ts';
import { type Features, isPutOff, pricesToSwitchTo, switchAtOnce, switchInPortal } from './switch.ts';

type Flow = Stripe.BillingPortal.Session.Flow;
type FlowData = Stripe.BillingPortal.SessionCreateParams.FlowData;

const CONFIRM = 'flow_data[subscription_update_confirm]';

/**
 * The flow of a portal session, read from its request: one change of plan, to be confirmed.
 *
 * @throws StripeApiError 400 where the configuration does not offer the price, or the subscription cannot be changed
 */
export function flowAsked(
  world: World,
  given: FlowData | undefined,
  customer: Stripe.Customer,
  features: Features,
): Flow | null {
  if (given === undefined) return null;
  const asked = given.subscription_update_confirm;
  if (asked === undefined)
    throw invalidRequest(`Missing required param: ${CONFIRM}.`, CONFIRM, 'parameter_missing');
  const subscription = world.tables.subscriptions.named(asked.subscription, `${CONFIRM}[subscription]`);
  if (subscription.customer !== customer.id || subscription.ended_at !== null)
    throw invalidRequest(
      `No such subscription: '${asked.subscription}'`,
      `${CONFIRM}[subscription]`,
      'resource_missing',
    );
  const item = itemAsked(world, asked, subscription, features);
  refuseUnchangeable(world, subscription);
  return {
    after_completion: afterCompletion(given.after_completion),
    customer_update: null,
    subscription_cancel: null,
    subscription_pause: null,
    subscription_update: null,
    subscription_update_confirm: { discounts: null, items: [item], subscription: subscription.id },
    type: 'subscription_update_confirm',
  };
}

function itemAsked(
  world: World,
  { items }: NonNullable<FlowData['subscription_update_confirm']>,
  subscription: Stripe.Subscription,
  features: Features,
): NonNullable<Flow['subscription_update_confirm']>['items'][number] {
  const [item] = subscription.items.data;
  const [given, ...more] = items;
  if (given === undefined || more.length > 0)
    throw invalidRequest('Only one item can be updated by this flow.', `${CONFIRM}[items]`);
  if (item === undefined || given.id !== item.id)
    throw invalidRequest(
      `No such subscription item: '${given.id}'`,
      `${CONFIRM}[items][0][id]`,
      'resource_missing',
    );
  const quantity = given.quantity ?? item.quantity ?? 1;
  if (quantity !== (item.quantity ?? 1))
    throw invalidRequest('The portal configuration does not allow this quantity.', `${CONFIRM}[items][0]`);
  const price = pricesToSwitchTo(world, features, subscription).find((row) => row.id === given.price);
  if (price === undefined)
    throw invalidRequest(
      `The price '${given.price}' is not among the prices that the portal configuration lets this subscription be updated to.`,
      `${CONFIRM}[items][0][price]`,
    );
  return { id: item.id, price: price.id, quantity };
}

function refuseUnchangeable(world: World, subscription: Stripe.Subscription): void {
  const where = `${CONFIRM}[subscription]`;
  if (subscription.cancel_at !== null)
    throw invalidRequest(
      'This subscription cannot be updated because it is scheduled to be canceled.',
      where,
    );
  if (phaseAhead(world, subscription) !== null)
    throw invalidRequest(
      'This subscription cannot be updated because it is managed by a subscription schedule.',
      where,
    );
}

function afterCompletion(given: FlowData['after_completion']): Flow['after_completion'] {
  const back = given?.redirect?.return_url;
  if (given?.type === 'redirect') {
    const param = 'flow_data[after_completion][redirect][return_url]';
    if (back === undefined)
      throw invalidRequest(`Missing required param: ${param}.`, param, 'parameter_missing');
    checkAddress(back, param);
  }
  return {
    hosted_confirmation:
      given?.type === 'hosted_confirmation'
        ? { custom_message: given.hosted_confirmation?.custom_message ?? null }
        : null,
    redirect: given?.type === 'redirect' && back !== undefined ? { return_url: back } : null,
    type: given?.type ?? 'portal_homepage',
  };
}

function planOfPrice(world: World, price: Stripe.Price, currency: string, quantity: number): FlowPlan {
  return {
    name: world.tables.products.get(idOf(price.product))?.name ?? 'Plan',
    amount: amountIn(world, price, currency) * quantity,
    interval: intervalName(price) ?? 'month',
  };
}

/** The subscription, its item and the price that a flow is about; null once it cannot be confirmed any more. */
function subjectOf(world: World, flow: Flow, features: Features) {
  const { subscription: id, items } = flow.subscription_update_confirm ?? {};
  const subscription = world.tables.subscriptions.get(id ?? null);
  const [item] = subscription?.items.data ?? [];
  if (subscription === undefined || item === undefined || subscription.ended_at !== null) return null;
  const price = pricesToSwitchTo(world, features, subscription).find((row) => row.id === items?.[0]?.price);
  if (price === undefined || subscription.cancel_at !== null || phaseAhead(world, subscription) !== null)
    return null;
  return { subscription, item, price };
}

/** What the change costs and when it takes effect, worked out as it would be done. */
function costOf(
  world: World,
  features: Features,
  { subscription, item, price }: NonNullable<ReturnType<typeof subjectOf>>,
): FlowView['cost'] {
  if (isPutOff(world, subscription, features, item, price))
    return { kind: 'later', at: currentPeriodEnd(subscription) };
  const { items, proration_behavior, ...rest } = switchAtOnce(features, subscription, item, price);
  if (subscription.status === 'trialing' && rest.trial_end === undefined)
    return { kind: 'trial', until: subscription.trial_end ?? currentPeriodEnd(subscription) };
  const { lines, amount_due: due } = previewInvoice(world, {
    subscription: subscription.id,
    subscription_details: { items, proration_behavior, ...rest },
  });
  return {
    kind: 'now',
    lines: lines.data.map(({ description, amount }) => ({ description: description ?? 'Item', amount })),
    due: proration_behavior === 'create_prorations' && rest.billing_cycle_anchor === undefined ? null : due,
  };
}

function flowView(
  world: World,
  session: Stripe.BillingPortal.Session,
  flow: Flow,
  features: Features,
): FlowView {
  const customer = world.tables.customers.known(session.customer);
  const back = session.return_url ?? '/';
  const base = { merchant: world.options.merchant, returnUrl: back, sessionId: session.id };
  const subject = world.facts.finishedFlows.has(session.id) ? null : subjectOf(world, flow, features);
  if (subject === null) {
    const state = world.facts.finishedFlows.has(session.id) ? 'done' : 'over';
    const message = flow.after_completion.hosted_confirmation?.custom_message ?? null;
    return { ...base, state, message, change: null, cost: null };
  }
  const { subscription, item, price } = subject;
  const quantity = item.quantity ?? 1;
  const card = cardOf(world, customer, idOf(subscription.default_payment_method));
  return {
    ...base,
    state: 'open',
    message: null,
    change: {
      from: planOfPrice(world, item.price, subscription.currency, quantity),
      to: planOfPrice(world, price, subscription.currency, quantity),
      currency: subscription.currency,
      last4: card?.card?.last4 ?? null,
    },
    cost: costOf(world, features, subject),
  };
}

function finish(world: World, session: Stripe.BillingPortal.Session, flow: Flow): HostedAnswer {
  world.facts.finishedFlows.add(session.id);
  const { type, redirect } = flow.after_completion;
  if (type === 'redirect' && redirect !== null) return { location: redirect.return_url };
  if (type === 'hosted_confirmation') return { location: `/p/session/${session.id}` };
  session.flow = null;
  return { location: `/p/session/${session.id}?notice=${encodeURIComponent('Your plan was updated.')}` };
}

/**
 * The page of a change that a portal session asks its customer to confirm: shows what it costs (`form` null), or does it
 * (`action=confirm`) and leads on.
 */
export function answerFlow(
  world: World,
  session: Stripe.BillingPortal.Session,
  flow: Flow,
  features: Features,
  form: URLSearchParams | null,
): HostedAnswer {
  const view = flowView(world, session, flow, features);
  const subject = view.state === 'open' ? subjectOf(world, flow, features) : null;
  if (form?.get('action') !== 'confirm' || subject === null) return { status: 200, html: renderFlow(view) };
  const { subscription, price } = subject;
  const finished = scheduleOf(world, subscription);
  // A schedule whose last phase has begun has nothing ahead: the change takes its place.
  if (finished !== null) releaseSchedule(world, finished);
  const switched = switchInPortal(world, features, subscription, price.id);
  if (switched.kind === 'refused') return { status: 402, html: renderFlow({ ...view, error: switched }) };
  return finish(world, session, flow);
}

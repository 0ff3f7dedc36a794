import { checkoutSessionRoutes, paymentPageRoutes } from '../checkout/routes.ts';
import { testClockRoutes } from '../clocks/test-clocks.ts';
import { balanceTransactionRoutes, customerRoutes } from '../customers/routes.ts';
import { invoiceItemRoutes, invoiceRoutes } from '../invoices/routes.ts';
import { accountBalanceRoutes } from '../payments/balance.ts';
import { chargeRoutes } from '../payments/charge.ts';
import { paymentIntentRoutes } from '../payments/intents.ts';
import { paymentMethodRoutes } from '../payments/methods.ts';
import { portalRoutes } from '../portal/portal.ts';
import { couponRoutes } from '../prices/coupons.ts';
import { priceRoutes, productRoutes } from '../prices/routes.ts';
import { disputeRoutes } from '../refunds-disputes/disputes.ts';
import { refundRoutes } from '../refunds-disputes/refunds.ts';
import { subscriptionRoutes } from '../subscriptions/routes.ts';
import { scheduleRoutes } from '../subscriptions/schedule-routes.ts';
import { eventRoutes, webhookEndpointRoutes } from '../webhooks/endpoints.ts';
import { type Route, route } from './operations.ts';

/** Enough for a script or the CLI to ask whose key it holds. */
const accountRoutes = [
  route('GET /v1/account', ({ world }) => ({
    id: 'acct_simulator0000000',
    object: 'account',
    business_profile: { name: world.options.merchant },
    charges_enabled: true,
    country: 'US',
    default_currency: 'usd',
    details_submitted: true,
    email: null,
    payouts_enabled: true,
    settings: { dashboard: { display_name: world.options.merchant, timezone: 'Etc/UTC' } },
    type: 'standard',
  })),
];

/** Every operation that the simulator answers. */
export const ROUTES: readonly Route[] = [
  ...accountRoutes,
  ...accountBalanceRoutes,
  ...productRoutes,
  ...priceRoutes,
  ...customerRoutes,
  ...balanceTransactionRoutes,
  ...paymentMethodRoutes,
  ...couponRoutes,
  ...checkoutSessionRoutes,
  ...paymentPageRoutes,
  ...paymentIntentRoutes,
  ...chargeRoutes,
  ...refundRoutes,
  ...disputeRoutes,
  ...subscriptionRoutes,
  ...scheduleRoutes,
  ...invoiceRoutes,
  ...invoiceItemRoutes,
  ...portalRoutes,
  ...webhookEndpointRoutes,
  ...eventRoutes,
  ...testClockRoutes,
];

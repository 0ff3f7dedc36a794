import { setTimeout as sleep } from 'node:timers/promises';
import { controlsOf } from '@extension-billing/simulator/control';
import type { Stripe } from 'stripe';
import { type Account, openCheckout } from '../../packages/cli/src/local/account.ts';
import type { SuiteAddresses } from '../../packages/cli/src/local/suite.ts';
import type { BuyerDriver, ProviderDriver } from './targets.ts';

interface State {
  readonly checkout_sessions: readonly Stripe.Checkout.Session[];
  readonly subscriptions: readonly Stripe.Subscription[];
  readonly payment_intents: readonly Stripe.PaymentIntent[];
  readonly invoices: readonly Stripe.Invoice[];
}

const CARDS = { pays: '4242424242424242', 'is declined': '4000000000000341' } as const;
/** The service mirrors the claim after its answer; a record that is wrong stays wrong. */
const PATIENCE_MS = 5_000;

/** The local provider simulator: the service's own checkout, and the control routes (packages/simulator/README.md). */
export function simulatorDriver(suite: SuiteAddresses, stripe: Stripe): ProviderDriver {
  const controls = controlsOf(suite.provider);
  const state = async (): Promise<State> => (await controls.state()) as unknown as State;

  const begin = async (account: Account): Promise<BuyerDriver> => {
    let customer = '';
    const mine = <T extends { customer: unknown }>(rows: readonly T[], what: string): T => {
      const found = rows.filter((row) => row.customer === customer).at(-1);
      if (found === undefined) throw new Error(`Customer ${customer} has no ${what}.`);
      return found;
    };
    return {
      async buy(lookupKey) {
        const session = await openCheckout(suite, account, lookupKey);
        await controls.pay(session, CARDS.pays);
        const { checkout_sessions: sessions } = await state();
        customer = String(sessions.find(({ id }) => id === session)?.customer);
      },
      advanceDays: async (days) => void (await controls.advanceDays(days)),
      cancelAtPeriodEnd: async () => {
        const { id } = mine((await state()).subscriptions, 'subscription');
        await controls.cancel(id, true);
      },
      refund: async (amount) => {
        const { payment_intents: all } = await state();
        const { id } = mine(
          all.filter(({ metadata }) => metadata.uid === account.uid),
          'one-time payment',
        );
        await controls.refund(id, amount);
      },
      putCard: async (card) => void (await controls.putCard(customer, CARDS[card])),
      payOpenInvoice: async () => {
        const open = (await state()).invoices.filter(({ status }) => status === 'open');
        await stripe.invoices.pay(mine(open, 'open invoice').id);
      },
      async deliverUntil(holds) {
        const deadline = Date.now() + PATIENCE_MS;
        await controls.delivered();
        while (!(await holds())) {
          if (Date.now() > deadline) throw new Error('It did not come to hold.');
          await sleep(50);
        }
      },
      end: async () => {},
    };
  };
  return { provider: 'simulator', begin };
}

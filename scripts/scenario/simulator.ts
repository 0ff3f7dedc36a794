import type { SuiteAddresses } from './addresses.ts';

/** What a scenario does at the provider, in the words of a person who uses it. */
export interface ProviderHands {
  payCheckout(sessionId: string): Promise<void>;
  /** Moves the provider's clock, and waits until everything due has been billed and delivered. */
  advanceDays(days: number): Promise<void>;
  cancelAtPeriodEnd(subscription: string): Promise<void>;
  subscriptionOf(customer: string): Promise<string>;
}

/** The local provider simulator's control routes (simulator/README.md). */
export function simulatorHands(suite: SuiteAddresses): ProviderHands {
  const post = async (path: string, body: object): Promise<void> => {
    const response = await fetch(`${suite.provider}/_sim/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`The simulator refused ${path}: ${await response.text()}`);
  };
  const settle = () => post('flush', {});
  return {
    async payCheckout(sessionId) {
      await post(`checkout/${sessionId}/pay`, { card: '4242424242424242' });
      await settle();
    },
    async advanceDays(days) {
      await post('clock/advance', { days });
      await settle();
    },
    async cancelAtPeriodEnd(subscription) {
      await post(`subscriptions/${subscription}/cancel`, { at_period_end: true });
      await settle();
    },
    async subscriptionOf(customer) {
      const response = await fetch(`${suite.provider}/_sim/state`);
      const state = (await response.json()) as { subscriptions: { id: string; customer: string }[] };
      const found = state.subscriptions.find((subscription) => subscription.customer === customer);
      if (found === undefined) throw new Error(`Customer ${customer} has no subscription.`);
      return found.id;
    },
  };
}

/** What the bank does with a charge. */
export type DisputeOutcome = 'won' | 'lost' | 'inquiry' | 'escalated' | 'prevented';

/** What a control route answers, as far as its caller reads it. */
export type ControlAnswer = Readonly<Record<string, unknown>>;

/**
 * The control routes of a running simulator for scripts and tests: what its page offers a person (packages/simulator/README.md).
 * Each throws an Error with the simulator's message when it refuses.
 *
 * @param provider the simulator's address
 */
export function controlsOf(provider: string) {
  const ask = async (path: string, body?: object): Promise<ControlAnswer> => {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    const response = await fetch(`${provider}/_sim/${path}`, body === undefined ? {} : init);
    if (!response.ok) throw new Error(`The simulator refused ${path}: ${await response.text()}`);
    return (await response.json()) as ControlAnswer;
  };
  /** Everything that was on its way has arrived, or was given up. */
  const delivered = () => ask('flush', {});
  /** Runs `act` while deliveries are made in another way, with nothing on its way before. */
  const during = async (mode: 'drop' | 'hold', act: () => Promise<unknown>): Promise<void> => {
    await delivered();
    await ask('delivery', { [mode]: true });
    try {
      await act();
    } finally {
      await ask('delivery', { [mode]: false });
    }
  };
  return {
    /** Back to an empty account, the real time and deliveries as they come. */
    reset: () => ask('reset', {}),
    /** Every object there is, by table. */
    state: () => ask('state'),
    /** The service's records by customer, where the simulator knows their address. */
    records: () => ask('records'),
    delivered,
    /** Every event gets lost meanwhile. */
    whileEventsAreLost: (act: () => Promise<unknown>) => during('drop', act),
    /** Every event is held back meanwhile; they travel when it is done. */
    whileEventsAreHeld: (act: () => Promise<unknown>) => during('hold', act),
    /** What was held back travels from now on. */
    letGo: () => ask('delivery', { hold: false }),
    /** Pays an open checkout, as a click on its page would. */
    pay: (session: string, card = '4242424242424242') => ask(`checkout/${session}/pay`, { card }),
    /** Gives a payment back: an amount in minor units, or all that is left of it. */
    refund: (paymentIntent: string, amount?: number) =>
      ask('refund', { payment_intent: paymentIntent, ...(amount !== undefined && { amount }) }),
    dispute: (charge: string, outcome?: DisputeOutcome, amount?: number) =>
      ask('dispute', {
        charge,
        ...(outcome !== undefined && { outcome }),
        ...(amount !== undefined && { amount }),
      }),
    cancel: (subscription: string, atPeriodEnd: boolean) =>
      ask(`subscriptions/${subscription}/cancel`, { at_period_end: atPeriodEnd }),
    /** The card that the next charge meets. */
    putCard: (customer: string, card: string) => ask(`customers/${customer}/card`, { card }),
    /** Moves the clock by seconds, and answers when everything due is billed. */
    advance: (seconds: number) => ask('clock/advance', { seconds }),
    advanceDays: (days: number) => ask('clock/advance', { days }),
    resend: (event: string) => ask('resend', { event }),
  };
}

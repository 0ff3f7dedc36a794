import type { Stripe } from 'stripe';
import { EVENT_TYPES } from './event-types.ts';

/** The provider's largest page. */
const PAGE = 100;

/**
 * Events of our types that at least one endpoint never took, a page at a time and the newest first, as the provider
 * lists them; it keeps 30 days. After an outage they may be hundreds of thousands, so no more than a page is in memory.
 * The provider does not say which endpoint: where several are registered, some may have reached this service all the same.
 *
 * @throws the SDK's error when the provider cannot be asked
 */
export async function* listUndelivered(stripe: Stripe): AsyncGenerator<readonly Stripe.Event[]> {
  let after: string | undefined;
  for (;;) {
    const { data, has_more } = await stripe.events.list({
      delivery_success: false,
      types: [...EVENT_TYPES],
      limit: PAGE,
      ...(after !== undefined && { starting_after: after }),
    });
    yield data;
    after = data.at(-1)?.id;
    if (!has_more || after === undefined) return;
  }
}

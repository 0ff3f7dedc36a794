// Becomes stripe.cjs, which is loaded at the first event, checkout or portal.
import * as stripe from 'stripe';

export { stripe };

import type { Catalog } from '@extension-billing/contract/catalog';
import type { Auth } from 'firebase-admin/auth';
import type { Firestore } from 'firebase-admin/firestore';
import { isTokenRefused } from '../../../../functions/src/http/authenticate.ts';
import type { Billing } from '../billing.ts';
import { BillingError } from '../billing-error.ts';
import { openService } from '../in-process/open-service.ts';
import { billingThrough, type Patience } from '../requests.ts';

export { CatalogError, defineCatalog } from '@extension-billing/contract/define-catalog';
export type * from '../billing.ts';
export { BillingError, type BillingErrorCode } from '../billing-error.ts';

export interface InProcessOptions<Sold extends Catalog = Catalog> extends Patience {
  /** The Admin SDK's, of the project that the billing function runs in. */
  readonly firestore: Firestore;
  readonly auth: Auth;
  /** The default export of billing.config.ts. What `billing catalog push` published later is taken up within a minute. */
  readonly catalog: Sold;
  /** Names this backend in ledger entries, as `process:<name>`: up to 60 of `A-Za-z0-9_-`. */
  readonly name: string;
  /** `problems` without it: warnings and errors, as JSON lines on stdout. `all`: a line for each request, too. */
  readonly log?: 'problems' | 'all';
}

/** What the service is written for; with less it would fail in the middle of a request. */
const LEAST_NODE = 22;

/**
 * The billing service in the same process, for a backend beside it in one Firebase project: no second hop, no key. The
 * interface, and what it does, are those over HTTP.
 *
 * @throws BillingError where the options cannot be right
 */
export function createBilling<const Sold extends Catalog>(
  options: InProcessOptions<Sold>,
): Billing<keyof Sold['features'] & string> {
  const { firestore, auth, catalog, name, log = 'problems' } = options;
  if (Number.parseInt(process.versions.node, 10) < LEAST_NODE) {
    const message = `In process it needs Node ${LEAST_NODE} or newer, as firebase-admin 14 does; over HTTP it needs Node 20.`;
    throw new BillingError('not_configured', message);
  }
  if (!/^[A-Za-z0-9_-]{1,60}$/.test(name)) {
    throw new BillingError(
      'not_configured',
      '"name" must be 1 to 60 of A-Za-z0-9_-: ledger entries show it.',
    );
  }
  const verifyUser = async (idToken: string): Promise<string | null> => {
    try {
      return (await auth.verifyIdToken(idToken)).uid;
    } catch (cause) {
      if (isTokenRefused(cause)) return null;
      const message = 'ID tokens cannot be checked at the moment; try again shortly.';
      throw new BillingError('unreachable', message, { cause });
    }
  };
  return billingThrough(openService({ firestore, auth, catalog, name, log }), verifyUser, options);
}

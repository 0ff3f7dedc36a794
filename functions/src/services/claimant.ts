import type { Millis } from '@extension-billing/contract/customer';
import type { AppDeps } from '../deps.ts';
import { type Claimant, claimantOf, GUEST, NOBODY } from '../free/identity.ts';
import { Unavailable } from '../http/answer.ts';
import type { Services } from '../http/authenticate.ts';
import { findAccount } from '../store/accounts.ts';
import type { Uid } from '../store/documents.ts';

/** How long what Firebase Auth says of a user is gone by: a mailbox that was just verified counts this much later. */
const REMEMBERED_FOR: Millis = 60_000;
/** Users remembered per instance; the oldest goes first. */
const REMEMBERED_USERS = 10_000;

/**
 * Who a user is for whom a service acts, as the user's own token would say it. An account that does not exist, or is
 * disabled, is nobody: no service makes free credits out of a uid that it thought of
 * (docs/decisions/free-credits.md#free-credits-through-a-backend).
 */
export function rememberClaimants(deps: Pick<AppDeps, 'auth' | 'now'>): Services['claimantOf'] {
  const remembered = new Map<Uid, { readonly claimant: Claimant; readonly until: Millis }>();
  return async (uid) => {
    const known = remembered.get(uid);
    if (known !== undefined && deps.now() < known.until) return known.claimant;
    const claimant = await lookUp(deps.auth, uid);
    remembered.delete(uid);
    remembered.set(uid, { claimant, until: deps.now() + REMEMBERED_FOR });
    const [oldest] = remembered.keys();
    if (remembered.size > REMEMBERED_USERS && oldest !== undefined) remembered.delete(oldest);
    return claimant;
  };
}

async function lookUp(auth: AppDeps['auth'], uid: Uid): Promise<Claimant> {
  const account = await findAccount(auth, uid).catch((error: unknown) => {
    throw new Unavailable('Accounts cannot be looked up at the moment; try again shortly.', 1, error);
  });
  if (account === null || account.disabled) return NOBODY;
  const { email, emailVerified, phoneNumber, providerData } = account;
  if (!email && !phoneNumber && providerData.length === 0) return GUEST;
  return claimantOf({
    uid,
    email,
    email_verified: emailVerified,
    phone_number: phoneNumber,
    firebase: {
      identities: Object.fromEntries(providerData.map(({ providerId, uid: id }) => [providerId, id])),
    },
  });
}

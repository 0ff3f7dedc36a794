import { randomUUID } from 'node:crypto';
import type { LookupKey } from '@extension-billing/contract/catalog';
import type { SuiteAddresses } from './suite.ts';

type AuthAddress = Pick<SuiteAddresses, 'authEmulator' | 'project'>;

/** A signed-in user of the local suite. */
export interface Account {
  readonly uid: string;
  readonly idToken: string;
}

interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** Signs a new user up at the auth emulator. */
export function signUp(suite: AuthAddress): Promise<Account> {
  return enter(suite, 'signUp', { email: `${randomUUID()}@example.test`, password: randomUUID() });
}

/** Signs a user in who has an account at the auth emulator. */
export function signIn(suite: AuthAddress, credentials: Credentials): Promise<Account> {
  return enter(suite, 'signInWithPassword', credentials);
}

async function enter(suite: AuthAddress, how: string, credentials: Credentials): Promise<Account> {
  const response = await fetch(
    `http://${suite.authEmulator}/identitytoolkit.googleapis.com/v1/accounts:${how}?key=local`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...credentials, returnSecureToken: true }),
    },
  );
  if (!response.ok) throw new Error(`The auth emulator refused ${how}: ${response.status}.`);
  const { localId, idToken } = (await response.json()) as { localId: string; idToken: string };
  return { uid: localId, idToken };
}

/** Opens a checkout at the service, as the extension would. @returns the session's id. */
export async function openCheckout(
  suite: Pick<SuiteAddresses, 'billing'>,
  account: Account,
  lookupKey: LookupKey,
): Promise<string> {
  const response = await fetch(`${suite.billing}/billing/checkout`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.idToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ lookup_key: lookupKey }),
  });
  if (!response.ok) throw new Error(`The checkout of ${lookupKey} was refused: ${await response.text()}`);
  return ((await response.json()) as { sessionId: string }).sessionId;
}

/** Uses a feature at the service. @returns the status of the answer. */
export async function consume(
  suite: Pick<SuiteAddresses, 'billing'>,
  account: Account,
  feature: string,
): Promise<number> {
  const response = await fetch(`${suite.billing}/credits/consume`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${account.idToken}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify({ feature }),
  });
  return response.status;
}

/** The `paid` claim as the auth emulator holds it; undefined until it was first set. */
export async function readPaidClaim(suite: AuthAddress, uid: string): Promise<boolean | undefined> {
  const response = await fetch(
    `http://${suite.authEmulator}/identitytoolkit.googleapis.com/v1/projects/${suite.project}/accounts:lookup`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer owner' },
      body: JSON.stringify({ localId: [uid] }),
    },
  );
  const { users } = (await response.json()) as { users?: { customAttributes?: string }[] };
  const claims = JSON.parse(users?.[0]?.customAttributes ?? '{}') as { paid?: boolean };
  return claims.paid;
}

/** Sets the `paid` claim as an administrator would. */
export async function writePaidClaim(suite: AuthAddress, uid: string, paid: boolean): Promise<void> {
  const response = await fetch(
    `http://${suite.authEmulator}/identitytoolkit.googleapis.com/v1/projects/${suite.project}/accounts:update`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer owner' },
      body: JSON.stringify({ localId: uid, customAttributes: JSON.stringify({ paid }) }),
    },
  );
  if (!response.ok) throw new Error(`The auth emulator answered ${response.status} to a claim.`);
}

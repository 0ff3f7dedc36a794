import { payloadOf } from './token-payload.ts';

export const GOOGLE_AUTHORIZE_URL = 'https://accounts.google.com/o/oauth2/v2/auth';

export interface GoogleClient {
  readonly clientId: string;
  readonly authorizeUrl: string;
}

export type IdTokenAnswer =
  | { readonly ok: true; readonly idToken: string }
  | { readonly ok: false; readonly reason: 'cancelled' | 'network' | 'unavailable' };

/**
 * Asks Google for an ID token in the browser's own sign-in window (`chrome.identity.launchWebAuthFlow`, which works
 * in every Chromium and in Firefox; `getAuthToken` only in Chrome). The nonce binds the token to this request, so that one stolen
 * elsewhere cannot be replayed here.
 */
export async function requestGoogleIdToken(client: GoogleClient): Promise<IdTokenAnswer> {
  const nonce = crypto.randomUUID();
  const url = authorizeUrl(client, redirectOf(chrome.identity.getRedirectURL()), nonce);
  let redirect: string | undefined;
  try {
    redirect = await chrome.identity.launchWebAuthFlow({ url, interactive: true });
  } catch (error) {
    // Chrome tells a window that was closed from a page that did not load by its text alone.
    const text = error instanceof Error ? error.message : '';
    return { ok: false, reason: text.includes('could not be loaded') ? 'network' : 'cancelled' };
  }
  return idTokenIn(redirect, nonce);
}

/**
 * Where Google sends the browser back to. Firefox gives an address of a domain that nobody can prove to Google to be
 * theirs, and takes its own loopback address in that one's place (MDN, identity.getRedirectURL).
 */
export function redirectOf(given: string): string {
  const { hostname } = new URL(given);
  const [label = '', ...domain] = hostname.split('.');
  return domain.join('.') === 'extensions.allizom.org' ? `http://127.0.0.1/mozoauth2/${label}` : given;
}

export function authorizeUrl(client: GoogleClient, redirectUri: string, nonce: string): string {
  const query = new URLSearchParams({
    client_id: client.clientId,
    response_type: 'id_token',
    redirect_uri: redirectUri,
    scope: 'openid email profile',
    prompt: 'select_account',
    nonce,
  });
  return `${client.authorizeUrl}?${query}`;
}

/** The ID token in the redirect's fragment, when it carries the nonce. The auth service checks its signature. */
export function idTokenIn(redirect: string | undefined, nonce: string): IdTokenAnswer {
  if (redirect === undefined) return { ok: false, reason: 'cancelled' };
  const fragment = new URLSearchParams(new URL(redirect).hash.slice(1));
  if (fragment.get('error') === 'access_denied') return { ok: false, reason: 'cancelled' };
  const idToken = fragment.get('id_token');
  if (idToken === null || payloadOf(idToken).nonce !== nonce) return { ok: false, reason: 'unavailable' };
  return { ok: true, idToken };
}

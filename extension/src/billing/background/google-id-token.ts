const AUTHORIZE_URL = 'https://accounts.google.com/o/oauth2/v2/auth';

export type IdTokenAnswer =
  | { readonly ok: true; readonly idToken: string }
  | { readonly ok: false; readonly reason: 'cancelled' | 'unavailable' };

/**
 * Asks Google for an ID token in the browser's own sign-in window (`chrome.identity.launchWebAuthFlow`, which works
 * in every Chromium; `getAuthToken` only in Chrome). The nonce binds the token to this request, so that one stolen
 * elsewhere cannot be replayed here.
 */
export async function requestGoogleIdToken(clientId: string): Promise<IdTokenAnswer> {
  const nonce = crypto.randomUUID();
  const url = authorizeUrl(clientId, chrome.identity.getRedirectURL(), nonce);
  let redirect: string | undefined;
  try {
    redirect = await chrome.identity.launchWebAuthFlow({ url, interactive: true });
  } catch {
    // Chrome rejects in the same way when the user closes the window and when the page fails to load.
    return { ok: false, reason: 'cancelled' };
  }
  return idTokenIn(redirect, nonce);
}

export function authorizeUrl(clientId: string, redirectUri: string, nonce: string): string {
  const query = new URLSearchParams({
    client_id: clientId,
    response_type: 'id_token',
    redirect_uri: redirectUri,
    scope: 'openid email profile',
    prompt: 'select_account',
    nonce,
  });
  return `${AUTHORIZE_URL}?${query}`;
}

/** The ID token in the redirect's fragment, when it carries the nonce. The auth service checks its signature. */
export function idTokenIn(redirect: string | undefined, nonce: string): IdTokenAnswer {
  if (redirect === undefined) return { ok: false, reason: 'cancelled' };
  const fragment = new URLSearchParams(new URL(redirect).hash.slice(1));
  if (fragment.get('error') === 'access_denied') return { ok: false, reason: 'cancelled' };
  const idToken = fragment.get('id_token');
  if (idToken === null || nonceOf(idToken) !== nonce) return { ok: false, reason: 'unavailable' };
  return { ok: true, idToken };
}

function nonceOf(idToken: string): unknown {
  const payload = idToken.split('.')[1];
  if (payload === undefined) return undefined;
  try {
    return JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))).nonce;
  } catch {
    return undefined;
  }
}

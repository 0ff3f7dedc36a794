import { createBillingBackground } from '@extension-billing/client/background';

/** Put here by the test that builds this: the suite's addresses. */
declare const __SUITE__: {
  readonly apiBaseUrl: string;
  readonly projectId: string;
  readonly authEmulatorUrl: string;
  readonly firestoreEmulator: { readonly host: string; readonly port: number };
};

/** Who is signed in to this extension, by its own accounts, and how its server of tokens is. */
interface Stored {
  readonly user?: { readonly uid: string; readonly email: string } | null;
  readonly tokens?: 'given' | 'refused';
}

createBillingBackground({
  apiBaseUrl: __SUITE__.apiBaseUrl,
  firebase: { projectId: __SUITE__.projectId, apiKey: 'demo-api-key' },
  authEmulatorUrl: __SUITE__.authEmulatorUrl,
  firestoreEmulator: __SUITE__.firestoreEmulator,
  identity: {
    async onUser(tell) {
      chrome.storage.onChanged.addListener(({ user }, area) => {
        if (area === 'local' && user !== undefined) tell((user.newValue as Stored['user']) ?? null);
      });
      const { user = null }: Stored = await chrome.storage.local.get('user');
      tell(user);
    },
    async idToken(uid) {
      const { tokens = 'given' }: Stored = await chrome.storage.local.get();
      if (tokens === 'refused') throw new Error('The server of this extension is down.');
      return tokenFromServer(uid);
    },
  },
});

/** What the extension's server would do: a custom token for its user, exchanged for an ID token. Null: disabled. */
async function tokenFromServer(uid: string): Promise<string | null> {
  const signIn = '/identitytoolkit.googleapis.com/v1/accounts:signInWithCustomToken?key=demo-api-key';
  const answer = await fetch(`${__SUITE__.authEmulatorUrl}${signIn}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: customToken(uid), returnSecureToken: true }),
  });
  const { idToken } = (await answer.json()) as { readonly idToken?: string };
  return idToken ?? null;
}

/** As `createCustomToken` of the Admin SDK makes them, but unsigned: the emulator doesn't check. */
function customToken(uid: string): string {
  const part = (value: object): string => btoa(JSON.stringify(value)).replaceAll('=', '');
  const now = Math.floor(Date.now() / 1000);
  const aud = 'https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit';
  return `${part({ alg: 'none', typ: 'JWT' })}.${part({ aud, uid, iat: now, exp: now + 3_600 })}.`;
}

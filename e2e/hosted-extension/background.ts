import { createBillingBackground } from '@extension-billing/client/background';

/** Put here by the test that builds this: the suite's addresses. */
declare const __SUITE__: {
  readonly apiBaseUrl: string;
  readonly projectId: string;
  readonly authEmulatorUrl: string;
  readonly firestoreEmulator: { readonly host: string; readonly port: number };
};

/** Who is signed in to this extension, by its own accounts, and how its server of custom tokens is. */
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
    kind: 'custom-token',
    async onUser(tell) {
      chrome.storage.onChanged.addListener(({ user }, area) => {
        if (area === 'local' && user !== undefined) tell((user.newValue as Stored['user']) ?? null);
      });
      const { user = null }: Stored = await chrome.storage.local.get('user');
      tell(user);
    },
    async customToken(uid) {
      const { tokens = 'given', given = 0 }: Stored & { given?: number } = await chrome.storage.local.get();
      if (tokens === 'refused') throw new Error('The server of this extension is down.');
      await chrome.storage.local.set({ given: given + 1 });
      return unsignedToken(uid);
    },
  },
});

/** As `createCustomToken` of the Admin SDK makes them, but for the signature, which the emulator does not ask for. */
function unsignedToken(uid: string): string {
  const part = (value: object): string => btoa(JSON.stringify(value)).replaceAll('=', '');
  const now = Math.floor(Date.now() / 1000);
  const aud = 'https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit';
  return `${part({ alg: 'none', typ: 'JWT' })}.${part({ aud, uid, iat: now, exp: now + 3_600 })}.`;
}

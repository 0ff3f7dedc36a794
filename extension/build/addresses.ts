/**
 * The addresses that are baked into a build, from its VITE_ variables; the defaults are the local suite's.
 * Read by the manifest (what may be reached, who may wake the worker) and by the demo's background entry.
 */
export interface BuildAddresses {
  /** Base URL of the deployed function, without a slash at its end. */
  readonly apiBaseUrl: string;
  readonly firebaseProjectId: string;
  readonly firebaseApiKey: string;
  /** Empty in a build for a real project. */
  readonly authEmulatorUrl: string;
  /** `host:port`; empty in a build for a real project. */
  readonly firestoreEmulator: string;
  /** Empty: no Google sign-in, and no `identity` permission. */
  readonly googleClientId: string;
  /** Empty: Google's own. Tests put one on this machine in its place. */
  readonly googleAuthorizeUrl: string;
  /** Page that the link of a sign-in mail leads to; empty: no mail link. */
  readonly signInLinkUrl: string;
  /** Origin of the page that a checkout returns to; it may wake the worker. */
  readonly returnOrigin: string;
}

export function addressesFrom(env: Readonly<Record<string, string | undefined>>): BuildAddresses {
  return {
    apiBaseUrl: env.VITE_API_BASE_URL ?? 'http://127.0.0.1:5001/demo-extension-billing/us-central1/api',
    firebaseProjectId: env.VITE_FIREBASE_PROJECT_ID ?? 'demo-extension-billing',
    firebaseApiKey: env.VITE_FIREBASE_API_KEY ?? 'demo-api-key',
    authEmulatorUrl: env.VITE_AUTH_EMULATOR_URL ?? 'http://127.0.0.1:9099',
    firestoreEmulator: env.VITE_FIRESTORE_EMULATOR ?? '127.0.0.1:8080',
    googleClientId: env.VITE_GOOGLE_CLIENT_ID ?? '',
    googleAuthorizeUrl: env.VITE_GOOGLE_AUTHORIZE_URL ?? '',
    signInLinkUrl: env.VITE_SIGN_IN_LINK_URL ?? '',
    returnOrigin: env.VITE_RETURN_ORIGIN ?? 'http://127.0.0.1:5056',
  };
}

/** Origins that the extension's own code talks to: the content security policy allows these and no other. */
export function reachedOrigins(addresses: BuildAddresses): string[] {
  const auth =
    addresses.authEmulatorUrl === ''
      ? ['https://identitytoolkit.googleapis.com', 'https://securetoken.googleapis.com']
      : [new URL(addresses.authEmulatorUrl).origin];
  const firestore =
    addresses.firestoreEmulator === ''
      ? ['https://firestore.googleapis.com']
      : [`http://${addresses.firestoreEmulator}`];
  return [...new Set([new URL(addresses.apiBaseUrl).origin, ...auth, ...firestore])];
}

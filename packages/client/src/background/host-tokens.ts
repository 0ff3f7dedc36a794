import type { FirebaseApp } from 'firebase/app';
import type { HostSession } from './host-session.ts';

/** What Firestore asks of Firebase Auth (`FirebaseAuthInternal` of @firebase/auth-interop-types). */
interface AuthInternal {
  getUid(): string | null;
  getToken(renew?: boolean): Promise<{ readonly accessToken: string } | null>;
  addAuthTokenListener(listener: TokenListener): void;
  removeAuthTokenListener(listener: TokenListener): void;
}
interface WithContainer {
  readonly container: { addOrOverwriteComponent(component: object): void };
}
type TokenListener = (token: string | null) => void;

/**
 * Gives this app's Firestore the host's tokens: registers them where Firestore looks for Firebase Auth. While the host
 * returns none, Firestore tries again with a back-off, and at once when `onUser` says that there is one.
 */
export function provideHostTokens(
  app: FirebaseApp,
  session: Pick<HostSession, 'uid' | 'token' | 'onUser'>,
): void {
  const listeners = new Set<TokenListener>();
  const auth: AuthInternal = {
    getUid: session.uid,
    async getToken(renew) {
      const uid = session.uid();
      if (uid === null) return null;
      const answer = await session.token(uid, renew);
      if (answer.kind === 'token') return { accessToken: answer.token };
      // Without a token Firestore would open a stream as a stranger, and keep it: it has to try again instead.
      throw new Error(`The host returned no token (${answer.kind}).`);
    },
    addAuthTokenListener(listener) {
      listeners.add(listener);
      // Firestore waits for the first word before it connects.
      queueMicrotask(() => listener(null));
    },
    removeAuthTokenListener: (listener) => void listeners.delete(listener),
  };
  session.onUser(() => {
    for (const listener of listeners) listener(null);
  });
  const component = {
    name: 'auth-internal',
    type: 'PRIVATE',
    instanceFactory: () => auth,
    instantiationMode: 'LAZY',
    multipleInstances: false,
    serviceProps: {},
    onInstanceCreated: null,
  };
  // Not in the SDK's public types; host-identity.e2e.test.ts holds that Firestore is given the tokens.
  (app as FirebaseApp & WithContainer).container.addOrOverwriteComponent(component);
}

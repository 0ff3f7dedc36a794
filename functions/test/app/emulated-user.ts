import { initializeApp } from 'firebase-admin/app';
import { type Auth, getAuth } from 'firebase-admin/auth';
import { type Firestore, getFirestore } from 'firebase-admin/firestore';

const projectId = process.env.GCLOUD_PROJECT ?? 'demo-extension-billing';
const app = initializeApp({ projectId }, `tests-${crypto.randomUUID()}`);

export const firestore: Firestore = getFirestore(app);
export const auth: Auth = getAuth(app);

export interface EmulatedUser {
  readonly uid: string;
  /** A valid ID token of the auth emulator. */
  readonly idToken: string;
}

/**
 * A new user of the auth emulator, signed in as the extension does it. The emulator dates the sign-in before it dates the
 * password: where a second began between the two, the account has taken back its first token, and signs in once more.
 */
export async function signUp(email?: string): Promise<EmulatedUser> {
  const signIn = newSignIn(email);
  const { localId, idToken } = await identity('accounts:signUp', signIn);
  const user = { uid: String(localId), idToken: String(idToken) };
  if (signedInAt(user.idToken) === Math.floor(Date.now() / 1000)) return user;
  return { ...user, idToken: String((await identity('accounts:signInWithPassword', signIn)).idToken) };
}

/** Signs a uid in with a custom token, as an owner with accounts of their own does. @returns its ID token */
export async function signInAs(uid: string): Promise<string> {
  const token = await auth.createCustomToken(uid);
  return String(
    (await identity('accounts:signInWithCustomToken', { token, returnSecureToken: true })).idToken,
  );
}

/** Seconds since the epoch. */
function signedInAt(idToken: string): unknown {
  const [, claims = ''] = idToken.split('.');
  return JSON.parse(Buffer.from(claims, 'base64url').toString()).auth_time;
}

/**
 * A guest of the auth emulator, who can add a Google sign-in and keeps the session from before: a password would end it,
 * as soon as the clock is in another second.
 */
export async function aGuest() {
  const { localId, idToken, refreshToken } = await identity('accounts:signUp', { returnSecureToken: true });
  const google = JSON.stringify({ sub: crypto.randomUUID(), email: `${crypto.randomUUID()}@example.com` });
  const signIn = {
    postBody: new URLSearchParams({ providerId: 'google.com', id_token: google }).toString(),
    ...{ requestUri: 'http://localhost', returnSecureToken: true },
  };
  return {
    uid: String(localId),
    idToken: String(idToken),
    linkGoogle: () => identity('accounts:signInWithIdp', { ...signIn, idToken }),
    /** A new token of the guest's own session, as the SDK fetches it every hour. */
    async renewedToken(): Promise<string> {
      const renewed = await emulator('securetoken.googleapis.com/v1/token', {
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
      });
      return String(renewed.id_token);
    },
    signedIn: async (): Promise<string> => String((await identity('accounts:signInWithIdp', signIn)).idToken),
  };
}

const newSignIn = (email = `${crypto.randomUUID()}@example.com`) => ({
  email,
  password: 'correct horse',
  returnSecureToken: true,
});

const identity = (method: string, body: object) =>
  emulator(`identitytoolkit.googleapis.com/v1/${method}`, body);

async function emulator(path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
  const host = process.env.FIREBASE_AUTH_EMULATOR_HOST;
  const response = await fetch(`http://${host}/${path}?key=emulated`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Readonly<Record<string, unknown>>;
}

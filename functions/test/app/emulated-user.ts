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

/** A new user of the auth emulator, signed in as the extension does it. */
export async function signUp(email?: string): Promise<EmulatedUser> {
  const { localId, idToken } = await identity('accounts:signUp', newSignIn(email));
  return { uid: String(localId), idToken: String(idToken) };
}

/** A guest of the auth emulator, who can add a password, and keeps the session from before. */
export async function aGuest() {
  const { localId, idToken, refreshToken } = await identity('accounts:signUp', { returnSecureToken: true });
  const signIn = newSignIn();
  return {
    uid: String(localId),
    idToken: String(idToken),
    /** What linking an e-mail address and a password does. */
    addPassword: (email?: string) =>
      identity('accounts:update', { ...signIn, ...(email !== undefined && { email }), idToken }),
    /** A new token of the guest's own session, as the SDK fetches it every hour. */
    async renewedToken(): Promise<string> {
      const renewed = await emulator('securetoken.googleapis.com/v1/token', {
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
      });
      return String(renewed.id_token);
    },
    signedIn: async (): Promise<string> =>
      String((await identity('accounts:signInWithPassword', signIn)).idToken),
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

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
export async function signUp(): Promise<EmulatedUser> {
  const host = process.env.FIREBASE_AUTH_EMULATOR_HOST;
  const response = await fetch(
    `http://${host}/identitytoolkit.googleapis.com/v1/accounts:signUp?key=emulated`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        email: `${crypto.randomUUID()}@example.com`,
        password: 'correct horse',
        returnSecureToken: true,
      }),
    },
  );
  const { localId, idToken } = (await response.json()) as { localId: string; idToken: string };
  return { uid: localId, idToken };
}

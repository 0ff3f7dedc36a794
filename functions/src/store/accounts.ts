import type { Auth, UserRecord } from 'firebase-admin/auth';

// The accounts that people sign in with, as Firebase Auth has them.

/** The account of a uid; null where there is none, or no more. @throws what the SDK throws where it cannot be asked */
export async function findAccount(auth: Pick<Auth, 'getUser'>, uid: string): Promise<UserRecord | null> {
  try {
    return await auth.getUser(uid);
  } catch (error) {
    if (isNoAccount(error)) return null;
    throw error;
  }
}

/** Whether the SDK says that a uid has no account. */
export function isNoAccount(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'auth/user-not-found';
}

import type { AppDeps } from '../deps.ts';
import type { Uid } from '../domain/uid.ts';

/** Deletes the auth user, which ends every session and takes the claims along. Fine where there is none any more. */
export async function deleteAuthUser({ auth }: Pick<AppDeps, 'auth'>, uid: Uid): Promise<void> {
  try {
    await auth.deleteUser(uid);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'auth/user-not-found') return;
    throw error;
  }
}

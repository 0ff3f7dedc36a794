import type { HostIdentity, HostUser } from '../background/host-identity.ts';

/** The host of one tab. */
export interface TabHost {
  /** The same host, for the code that is loaded later: it is told what was said before. */
  readonly identity: HostIdentity;
  /** Returns the user whom the host named last; undefined if it has named none yet. */
  uid(): string | null | undefined;
}

/**
 * Listens to the host from the start: a press belongs to the user who was there, also while code is being loaded.
 *
 * @param onTold called at once with each user whom the host names
 */
export function hearHost(
  { onUser, idToken }: HostIdentity,
  onTold: (uid: string | null) => void = () => {},
): TabHost {
  let told: { readonly user: HostUser | null } | undefined;
  let tell: (user: HostUser | null) => void = () => {};
  const listening = (async (): Promise<void> => {
    await onUser((user) => {
      told = { user };
      onTold(user?.uid ?? null);
      tell(user);
    });
  })();
  // Said by the session once it is there.
  listening.catch(() => {});
  return {
    identity: {
      idToken,
      onUser(listener) {
        tell = listener;
        if (told !== undefined) listener(told.user);
        return listening;
      },
    },
    uid: () => told && (told.user?.uid ?? null),
  };
}

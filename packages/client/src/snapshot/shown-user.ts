let shown: string | null = null;

/** Remembers whom this page shows. */
export function showUser(uid: string | null): void {
  shown = uid;
}

/** The uid that this page shows, at once; null before the first snapshot, or if it shows none. */
export const shownUser = (): string | null => shown;

import { useCallback, useEffect, useState } from 'react';
import { useBillingKeepAlive } from '../../hooks/use-billing-keep-alive.ts';
import type { SessionReply } from '../../messages.ts';
import { send } from '../../send.ts';

export interface Session {
  /** null until the worker has answered. */
  readonly reply: SessionReply | null;
  /** Asks again now, for instance after a sign-in. */
  readonly refresh: () => void;
}

/** Who is signed in, asked for again whenever the snapshot is another user's. */
export function useSession(uid: string | null | undefined): Session {
  const [reply, setReply] = useState<SessionReply | null>(null);
  useBillingKeepAlive(setReply);
  const refresh = useCallback(() => {
    send('billingHello', {}).then(setReply, () => {}); // where it fails, the keep-alive asks again
  }, []);
  const known = reply?.user?.uid ?? null;
  useEffect(() => {
    if (uid !== undefined && uid !== known) refresh();
  }, [uid, known, refresh]);
  return { reply, refresh };
}

import { useEffect, useState } from 'react';
import { useBillingKeepAlive } from '../../hooks/use-billing-keep-alive.ts';
import type { SessionReply } from '../../messages.ts';
import { send } from '../../send.ts';

/** Who is signed in, asked for again whenever the snapshot is another user's; null until the worker has answered. */
export function useSession(uid: string | null | undefined): SessionReply | null {
  const [session, setSession] = useState<SessionReply | null>(null);
  useBillingKeepAlive(setSession);
  const known = session?.user?.uid ?? null;
  useEffect(() => {
    if (uid === undefined || uid === known) return;
    let ended = false;
    send('billingHello', {}).then(
      (answer) => ended || setSession(answer),
      () => {}, // the keep-alive asks again
    );
    return () => {
      ended = true;
    };
  }, [uid, known]);
  return session;
}

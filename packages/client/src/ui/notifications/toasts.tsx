import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { CloseButton } from '../controls.tsx';
import './toasts.css';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';

export type ToastTone = 'done' | 'refused';
export interface Toast {
  readonly id: number;
  readonly tone: ToastTone;
  readonly text: string;
}
export type Say = (tone: ToastTone, text: string) => void;

export const ToastContext = createContext<Say>(() => {});
const SHOWN_FOR_MS = 5_000;
/** Closer to its end than this, a page shows what stands at its foot. */
const FOOT_PX = 160;

/**
 * Says one thing at a time at the foot of the page, where it has room of its own; the newest replaces the one before
 * it. What was done goes after a few seconds, a refusal stays until it is dismissed or something newer is said.
 */
export function ToastProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const { toast, say, dismiss } = useToasts();
  return (
    <ToastContext.Provider value={say}>
      {children}
      <Toasts toast={toast} onDismiss={dismiss} />
    </ToastContext.Provider>
  );
}

/** The one thing that is being said, and how to say another. */
export function useToasts(): {
  readonly toast: Toast | null;
  readonly say: Say;
  readonly dismiss: () => void;
} {
  const [toast, setToast] = useState<Toast | null>(null);
  const say = useCallback<Say>(
    (tone, text) => setToast((last) => ({ id: (last?.id ?? 0) + 1, tone, text })),
    [],
  );
  useEffect(() => {
    if (toast?.tone !== 'done') return;
    const timer = setTimeout(() => setToast(null), SHOWN_FOR_MS);
    return () => clearTimeout(timer);
  }, [toast]);
  useLayoutEffect(() => {
    if (toast !== null) keepFootInView();
  }, [toast]);
  const dismiss = useCallback(() => setToast(null), []);
  return { toast, say, dismiss };
}

interface ToastsProps {
  readonly toast: Toast | null;
  readonly onDismiss: () => void;
}

/** Where toasts are shown. In the page before the first is: else a screen reader misses it. */
export function Toasts({ toast, onDismiss }: ToastsProps): ReactNode {
  return (
    <div className="billing-toasts" role="status">
      {toast && (
        <div key={toast.id} className="billing-toast" data-tone={toast.tone} data-testid="toast">
          <p>{toast.text}</p>
          {toast.tone === 'refused' && <CloseButton onClick={onDismiss} data-testid="toast-dismiss" />}
        </div>
      )}
    </div>
  );
}

/** Shows a sentence for a few seconds, or a refusal until it is dismissed. */
export function useToast(): Say {
  return useContext(ToastContext);
}

/** When the end of the page is in view, the toast pushes it up instead of covering it. */
function keepFootInView(): void {
  const page = document.scrollingElement;
  if (page === null) return;
  const below = page.scrollHeight - page.clientHeight - page.scrollTop;
  if (below > 0 && below < FOOT_PX) page.scrollTop = page.scrollHeight;
}

/** Says in a toast what has just happened to the account, wherever it happened: a purchase, a top-up, a cancellation. */
export function useNotifications(snapshot: EntitlementSnapshot | null): void {
  const say = useToast();
  const last = useRef<EntitlementSnapshot | null>(null);
  useEffect(() => {
    const before = last.current;
    last.current = snapshot;
    if (before === null || snapshot === null || before.updatedAt === snapshot.updatedAt) return;
    import('./notifications.ts').then(({ notify }) => notify(before, snapshot, say));
  }, [snapshot, say]);
}

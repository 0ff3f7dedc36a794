import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';
import './feedback.css';

export type ToastTone = 'done' | 'refused';
export interface Toast {
  readonly id: number;
  readonly tone: ToastTone;
  readonly text: string;
}
type Say = (tone: ToastTone, text: string) => void;

const ToastContext = createContext<Say>(() => {});
const SHOWN_FOR_MS = 5_000;

/** Says one thing at a time at the foot of the page; the newest replaces the one before it. */
export function ToastProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [toast, setToast] = useState<Toast | null>(null);
  const say = useCallback<Say>(
    (tone, text) => setToast((last) => ({ id: (last?.id ?? 0) + 1, tone, text })),
    [],
  );
  useEffect(() => {
    if (toast === null) return;
    const timer = setTimeout(() => setToast(null), SHOWN_FOR_MS);
    return () => clearTimeout(timer);
  }, [toast]);
  return (
    <ToastContext value={say}>
      {children}
      <div className="billing-toasts" role="status">
        {toast && (
          <p key={toast.id} className="billing-toast" data-tone={toast.tone} data-testid="toast">
            {toast.text}
          </p>
        )}
      </div>
    </ToastContext>
  );
}

/** Shows a sentence for a few seconds. */
export function useToast(): Say {
  return useContext(ToastContext);
}

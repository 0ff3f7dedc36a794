import { createBillingBackground } from '@extension-billing/client/background';
import { withCredits } from '@extension-billing/client/messages';
import { useCredits, useEntitlement } from '@extension-billing/client/react';

/** The README's lines: the compiler checks them here. */
export function background(config: Parameters<typeof createBillingBackground>[0]): void {
  createBillingBackground(config);
}

export function useBoth(): {
  readonly entitled: boolean;
  readonly loading: boolean;
  readonly balance: number | null;
} {
  const { entitled, loading } = useEntitlement('paid');
  const { balance } = useCredits();
  return { entitled, loading, balance };
}

export async function work(
  text: string,
  summarise: (text: string) => Promise<string>,
): Promise<string | null> {
  const result = await withCredits('summarise', () => summarise(text));
  return result.ok ? result.value : null;
}

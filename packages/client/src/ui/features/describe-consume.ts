import { givenCatalog } from '../../given-catalog.ts';
import type { ConsumeResult, DenialReason } from '../../messages.ts';
import { formatCount } from '../format.ts';
import type { ToastTone } from '../notifications/toasts.tsx';
import { t, tCount } from '../text/texts.ts';

/** What to tell the user about a feature that ran, or did not: "1 credit spent, 41 left". */
export function describeConsume(
  result: ConsumeResult,
  cost: number,
): { readonly tone: ToastTone; readonly text: string } {
  if (result.ok) {
    const { balance } = result;
    if (balance === null || cost === 0) return { tone: 'done', text: t('consumeFree') };
    const left = formatCount(balance);
    return { tone: 'done', text: tCount(cost, 'consumeDone', formatCount(cost), left) };
  }
  return { tone: 'refused', text: refusal(result.reason) };
}

/** What to tell the user about work that was done while no reply said whether its credits were taken. */
export function describeUnsettled(): string {
  return t('consumeUnsettled');
}

function refusal(reason: DenialReason): string {
  switch (reason) {
    case 'exhausted':
      return t(givenCatalog.packs.length > 0 ? 'consumeExhausted' : 'consumeTooFew');
    case 'plan_required':
      return t('consumePlanRequired');
    case 'free_ceiling_reached':
      return t('consumeFreeCeiling');
    case 'offline':
      return t('consumeOffline');
    case 'signed_out':
      return t('consumeSignedOut');
    case 'account_changed':
      return t('consumeAccountChanged');
    case 'updated':
      return t('refusedUpdated');
    case 'unknown_feature':
      return t('consumeUnknownFeature');
    case 'unavailable':
      return t('consumeUnavailable');
    default:
      return reason satisfies never;
  }
}

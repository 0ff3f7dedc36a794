import type { DenialReason } from '@extension-billing/client/messages';

/** The one message of this extension's own, from the content script to the background worker. */
export interface SummariseRequest {
  readonly type: 'summarise';
  readonly text: string;
}
export type SummariseReply =
  | { readonly ok: true; readonly summary: string; readonly creditsLeft: number | null }
  | { readonly ok: false; readonly reason: DenialReason };

export function isSummariseRequest(message: unknown): message is SummariseRequest {
  if (typeof message !== 'object' || message === null || !('type' in message)) return false;
  return message.type === 'summarise' && 'text' in message && typeof message.text === 'string';
}

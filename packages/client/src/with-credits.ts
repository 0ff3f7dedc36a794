import { send } from './send.ts';
import { createWithCredits, type WithCredits } from './work-with-credits.ts';

/** `withCredits` for pages of the extension: by messages to the background worker. */
export const withCredits: WithCredits = createWithCredits({
  reserve: (request) => send('creditsReserve', request),
  confirm: (request) => send('creditsConfirm', request),
  release: (request) => send('creditsRelease', request),
});

import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import type { ToastTone } from '../feedback.tsx';
import { deriveHappening } from './derive-happening.ts';
import { describeHappening } from './describe-happening.ts';

/** Says what happened between two snapshots of a user, where it is worth a word. */
export function tellHappening(
  before: EntitlementSnapshot,
  after: EntitlementSnapshot,
  say: (tone: ToastTone, text: string) => void,
): void {
  const happening = deriveHappening(before, after);
  if (happening === null) return;
  const { tone, text } = describeHappening(happening, Date.now());
  say(tone, text);
}

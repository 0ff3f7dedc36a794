import { pricingLoaded } from '../../given-catalog.ts';
import { snapshotStore } from '../../snapshot/read.ts';
import { textsLoaded } from '../text/texts.ts';

/** Settles when what the first frame shows was read: the state that is known last, prices, and the user's language. */
export async function firstFrameReady(): Promise<void> {
  await Promise.all([snapshotStore().loaded, pricingLoaded(), textsLoaded()]);
}

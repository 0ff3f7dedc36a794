import { pricingLoaded } from '../../given-catalog.ts';
import { snapshotStore } from '../../snapshot/read.ts';
import { textsLoaded } from '../text/texts.ts';

/**
 * Resolves when a first frame can show the stored snapshot, prices, and texts in the user's language. Wait for it before
 * the first render, so that nothing flashes. Never rejects.
 */
export async function firstFrameReady(): Promise<void> {
  await Promise.all([snapshotStore().loaded, pricingLoaded(), textsLoaded()]);
}

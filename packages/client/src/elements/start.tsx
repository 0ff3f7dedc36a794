import { createRoot } from 'react-dom/client';
import { pricingLoaded } from '../given-catalog.ts';
import { snapshotStore } from '../snapshot/read.ts';
import { textsLoaded } from '../ui/text/texts.ts';
import { defineElements } from './billing-element.ts';
import { connectedElements } from './connected.ts';
import { Page } from './page.tsx';

/** Defines the elements, and shows those of this page once what is stored was read: the first paint has it already. */
export function startElements(): void {
  const connected = connectedElements(async (catalog) => {
    await Promise.all([snapshotStore().loaded, pricingLoaded(), textsLoaded(), catalog]);
    // In no document: everything that it renders stands in the elements.
    createRoot(document.createElement('div')).render(<Page connected={connected} />);
  });
  defineElements(connected);
}

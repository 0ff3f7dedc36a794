import { snapshotStore } from '@extension-billing/client/content';
import { pricingLoaded, providePricing } from '@extension-billing/client/pricing';
import { textLocale, textsLoaded } from '@extension-billing/client/react';
import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import catalog from '../../../billing.config.ts';
import '@extension-billing/client/ui.css';
import './paint.css';

/** Puts a page on the screen once the last snapshot was read, so that the first paint already shows it. */
export async function paint(page: ReactNode): Promise<void> {
  const root = document.getElementById('root');
  if (root === null) throw new Error('The page has no element with the id "root".');
  providePricing(catalog);
  await Promise.all([snapshotStore().loaded, pricingLoaded(), textsLoaded()]);
  document.documentElement.lang = textLocale();
  createRoot(root).render(<StrictMode>{page}</StrictMode>);
}

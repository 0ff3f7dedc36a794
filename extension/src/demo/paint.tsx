import { providePricing } from '@extension-billing/client/pricing';
import { firstFrameReady, textLocale } from '@extension-billing/client/react';
import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import catalog from '../../../billing.config.ts';
import './paint.css';

/** Renders a page once the stored snapshot was read, so that the first paint already shows it. */
export async function paint(page: ReactNode): Promise<void> {
  providePricing(catalog);
  await firstFrameReady();
  document.documentElement.lang = textLocale();
  createRoot(document.getElementById('root') ?? document.body).render(page);
}

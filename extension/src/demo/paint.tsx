import {
  FirstFrame,
  type FirstFrameProps,
  firstFrameReady,
  textLocale,
} from '@extension-billing/client/first';
import { providePricing } from '@extension-billing/client/pricing';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import catalog from '../../../billing.config.ts';
import './paint.css';

/** Puts a page on the screen once the last snapshot was read, so that the first paint already shows it. */
export async function paint(page: FirstFrameProps): Promise<void> {
  const root = document.getElementById('root');
  if (root === null) throw new Error('The page has no element with the id "root".');
  providePricing(catalog);
  await firstFrameReady();
  document.documentElement.lang = textLocale();
  createRoot(root).render(
    <StrictMode>
      <FirstFrame {...page} />
    </StrictMode>,
  );
}

import {
  FirstFrame,
  type FirstFrameProps,
  firstFrameReady,
  providePricing,
  textLocale,
} from '@extension-billing/client/first';
import { createRoot } from 'react-dom/client';
import catalog from '../../../billing.config.ts';
import './paint.css';

/** Puts a page on the screen once the last snapshot was read, so that the first paint already shows it. */
export async function paint(page: FirstFrameProps): Promise<void> {
  providePricing(catalog);
  await firstFrameReady();
  document.documentElement.lang = textLocale();
  createRoot(document.getElementById('root') ?? document.body).render(<FirstFrame {...page} />);
}

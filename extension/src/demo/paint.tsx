import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { snapshotStore } from '../billing/snapshot/read.ts';
import { textLocale } from '../billing/ui/text/text-locale.ts';

/** Puts a page on the screen once the last snapshot was read, so that the first paint already shows it. */
export async function paint(page: ReactNode): Promise<void> {
  const root = document.getElementById('root');
  if (root === null) throw new Error('The page has no element with the id "root".');
  document.documentElement.lang = textLocale();
  await snapshotStore().loaded;
  createRoot(root).render(<StrictMode>{page}</StrictMode>);
}

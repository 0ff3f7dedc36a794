import { fileURLToPath } from 'node:url';
import { openPreview, type ShownState } from './open-preview.ts';

/** The states shown in the documentation. Run with `npm run screenshots -w extension` after a change of the look. */
const SHOTS: Readonly<Record<string, ShownState>> = {
  'popup-active': { surface: 'popup', state: 'active_with_packs', theme: 'light' },
  'popup-trial-dark': { surface: 'popup', state: 'trial', theme: 'dark' },
  'popup-low-dark': { surface: 'popup', state: 'active_low', theme: 'dark' },
  'popup-wall': { surface: 'popup', state: 'empty', theme: 'light' },
  'popup-past-due': { surface: 'popup', state: 'past_due', theme: 'light' },
  'popup-sign-in-dark': { surface: 'popup', state: 'signed_out', theme: 'dark' },
  'side-panel-cancel-pending': { surface: 'side-panel', state: 'cancel_pending', theme: 'light' },
  'options-free': { surface: 'options', state: 'free', theme: 'light' },
  'options-active-dark': { surface: 'options', state: 'active_with_packs', theme: 'dark' },
  'options-wall': { surface: 'options', state: 'empty', theme: 'light' },
};

const preview = await openPreview();
try {
  for (const [name, shown] of Object.entries(SHOTS)) {
    await preview.show(shown);
    const path = fileURLToPath(new URL(`../../../docs/screenshots/${name}.png`, import.meta.url));
    await preview.page.screenshot({ path });
    console.info(`docs/screenshots/${name}.png`);
  }
} finally {
  await preview.close();
}

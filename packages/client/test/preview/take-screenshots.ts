import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { makeSheet } from './make-sheet.ts';
import { NOTHING_TO_COME, type OpenPreview, openPreview, type ShownState } from './open-preview.ts';

/**
 * Makes the pictures of the documentation (`npm run pictures`): some by name, and every state on one
 * sheet for each theme, to be looked at after a change of the look. `click` opens something in a state first.
 */
type Shot = ShownState & { readonly click?: string };

const SHOTS: Readonly<Record<string, Shot>> = {
  'popup-active': { surface: 'popup', state: 'active_with_packs', theme: 'light' },
  'popup-trial-dark': { surface: 'popup', state: 'trial', theme: 'dark' },
  'popup-low-dark': { surface: 'popup', state: 'active_low', theme: 'dark' },
  'popup-wall': { surface: 'popup', state: 'empty', theme: 'light' },
  'popup-paywall': { surface: 'popup', state: 'subscription_free', theme: 'light', click: 'run-demo_deep' },
  'popup-past-due': { surface: 'popup', state: 'past_due', theme: 'light' },
  'popup-guest-dark': { surface: 'popup', state: 'guest', theme: 'dark' },
  'popup-sign-in-dark': { surface: 'popup', state: 'signed_out', theme: 'dark' },
  'side-panel-cancel-pending': { surface: 'side-panel', state: 'cancel_pending', theme: 'light' },
  'options-signed-out': { surface: 'options', state: 'signed_out', theme: 'light' },
  'options-free': { surface: 'options', state: 'free', theme: 'light' },
  'options-active-dark': { surface: 'options', state: 'active_with_packs', theme: 'dark' },
  'options-wall': { surface: 'options', state: 'empty', theme: 'light' },
  'options-delete-account': {
    surface: 'options',
    state: 'active_with_packs',
    theme: 'light',
    click: 'delete-account',
  },
};

const inDocs = (file: string): string =>
  fileURLToPath(new URL(`../../../../docs/screenshots/${file}`, import.meta.url));

/** One picture; the full page in its whole length. */
async function take(preview: OpenPreview, { click, ...shown }: Shot): Promise<Buffer> {
  await preview.show(shown);
  const { page } = preview;
  if (click !== undefined) {
    await page.getByTestId(click).click();
    await page.locator('[role=dialog], [data-testid=delete-confirm]').first().waitFor();
  }
  // What a page hears right after its first frame may bring a part that loads.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.waitForSelector(NOTHING_TO_COME);
  await page.evaluate(() => scrollTo(0, 0));
  return page.screenshot({ fullPage: shown.surface === 'options' });
}

const preview = await openPreview();
try {
  for (const [name, shot] of Object.entries(SHOTS)) {
    await writeFile(inDocs(`${name}.png`), await take(preview, shot));
    console.info(`docs/screenshots/${name}.png`);
  }
  const states = await preview.stateNames();
  for (const surface of ['popup', 'options'] as const) {
    for (const theme of ['light', 'dark'] as const) {
      const pictures = [];
      for (const state of states)
        pictures.push({ name: state, png: await take(preview, { surface, state, theme }) });
      const file = `every-state-${surface}-${theme}.jpg`;
      await makeSheet(preview.page, pictures, { columns: 6, path: inDocs(file) });
      console.info(`docs/screenshots/${file}`);
    }
  }
} finally {
  await preview.close();
}

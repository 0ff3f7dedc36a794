import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { build, preview } from 'vite';
import { startChromium } from '../../../../e2e/start-chromium.ts';
import { buildBundle } from '../../build/build-bundle.ts';
import type { PreviewStateName, PreviewSurface } from './states.ts';

const CONFIG = fileURLToPath(new URL('./vite.config.ts', import.meta.url));

export const SURFACE_SIZES: Readonly<
  Record<PreviewSurface, { readonly width: number; readonly height: number }>
> = {
  popup: { width: 360, height: 560 },
  'side-panel': { width: 320, height: 800 },
  options: { width: 1100, height: 900 },
};

/** A page on which nothing is loading. */
export const NOTHING_TO_COME = '.billing-page:not([data-pending], :has([data-pending]))';

export interface ShownState {
  readonly surface: PreviewSurface;
  readonly state: PreviewStateName;
  readonly theme?: 'light' | 'dark';
  /** The browser's text size, such as "200%". */
  readonly text?: string;
  readonly locale?: string;
}

export interface ShownElements extends Omit<ShownState, 'surface'> {
  readonly dir?: 'rtl';
  readonly width?: number;
  readonly height?: number;
}

/** The preview, built and served, with a browser in front of it. */
export interface OpenPreview {
  readonly page: Page;
  show(shown: ShownState): Promise<void>;
  /** A page with elements in it, as they are packed. */
  showElements(html: string, shown: ShownElements): Promise<void>;
  /** Every state that can be shown. */
  stateNames(): Promise<readonly PreviewStateName[]>;
  close(): Promise<void>;
}

/** @param withElements for `showElements`, and for nothing else: they are built instead of the demo's pages */
export async function openPreview({ withElements = false } = {}): Promise<OpenPreview> {
  const outDir = mkdtempSync(join(tmpdir(), 'billing-preview-'));
  const mode = withElements ? 'elements' : 'production';
  // The test runner sets it to "test", which would bring React's development build: half of what a page costs.
  process.env.NODE_ENV = 'production';
  await build({ configFile: CONFIG, mode, logLevel: 'error', build: { outDir, emptyOutDir: true } });
  if (withElements) await buildBundle({ name: 'elements', format: 'es', isOnPreact: true }, outDir);
  const server = await preview({
    configFile: CONFIG,
    logLevel: 'error',
    build: { outDir },
    // Thirty files for a page: none is asked for anew at each load.
    preview: { port: 0, strictPort: false, headers: { 'cache-control': 'max-age=3600' } },
  });
  const browser = await startChromium();
  const page = await browser.newPage({ reducedMotion: 'reduce' });
  const origin = server.resolvedUrls?.local[0];
  if (origin === undefined) throw new Error('The preview has no address.');
  return {
    page,
    async show({ surface, theme = 'light', ...query }) {
      // The browser's own setting: the build turns light-dark() into a media query for its oldest Chrome.
      await page.emulateMedia({ colorScheme: theme });
      await page.setViewportSize(SURFACE_SIZES[surface]);
      await page.goto(`${origin}show.html?${new URLSearchParams({ surface, ...query })}`);
      await page.waitForSelector(NOTHING_TO_COME);
    },
    async showElements(html, { theme = 'light', width = 720, height = 900, ...query }) {
      await page.emulateMedia({ colorScheme: theme });
      await page.setViewportSize({ width, height });
      await page.goto(`${origin}elements.html?${new URLSearchParams({ html, ...query })}`);
      await page.waitForFunction('"elements" in globalThis');
    },
    async stateNames() {
      await page.goto(`${origin}index.html`);
      const names = await page.locator('[name=state] option').allTextContents();
      return names as PreviewStateName[];
    },
    async close() {
      await browser.close();
      await server.close();
      rmSync(outDir, { recursive: true, force: true });
    },
  };
}

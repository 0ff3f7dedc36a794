import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LOCAL_FIREFOX_ID } from '../packages/cli/src/local/suite.ts';
import { extensionVariables } from '../tools/suite/builds.ts';
import { EXTENSION_ID, launchExtension } from './browser.ts';
import { buildExtension } from './build-extension.ts';
import type { BrowserKind, DrivenBrowser, DriveOptions } from './driver.ts';
import { launchFirefox } from './firefox/launch.ts';

export function launchIn(kind: BrowserKind, options: DriveOptions): Promise<DrivenBrowser> {
  return kind === 'chromium' ? launchExtension(options) : launchFirefox(options);
}

/** The id that the extension has in every local build for this browser. */
export function extensionIdIn(kind: BrowserKind): string {
  return kind === 'chromium' ? EXTENSION_ID : LOCAL_FIREFOX_ID;
}

interface Built {
  readonly dist: string;
  remove(): Promise<void>;
}

/** The extension as it is built for the suite and this browser: Chromium's is there already. */
export async function builtFor(kind: BrowserKind): Promise<Built> {
  const { EXTENSION_DIST, ...environment } = process.env;
  if (environment.BILLING_BASE_URL === undefined)
    throw new Error('The suite is not up. Run this with "npx vitest run --project e2e".');
  if (kind === 'chromium' && EXTENSION_DIST !== undefined)
    return { dist: EXTENSION_DIST, remove: async () => {} };
  const dist = await mkdtemp(join(tmpdir(), 'billing-built-'));
  const variables = Object.entries(environment).map(([name, value = '']) => [name, value]);
  await buildExtension(dist, extensionVariables(Object.fromEntries(variables)), kind);
  return { dist, remove: () => rm(dist, { recursive: true, force: true }) };
}

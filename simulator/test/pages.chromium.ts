import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Starts a Chromium without a window; throws with what to do where the machine has none. */
export async function startChromium(): Promise<Browser> {
  const named = process.env.CHROMIUM ? [process.env.CHROMIUM] : [];
  const usual = ['/usr/bin/chromium', '/usr/bin/chromium-browser', chromium.executablePath()];
  const executablePath = [...named, ...usual].find((path) => existsSync(path));
  if (executablePath === undefined) {
    throw new Error('No Chromium found: set CHROMIUM to its executable, or run "npm run set-up".');
  }
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

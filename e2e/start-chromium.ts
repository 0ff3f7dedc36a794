import { type Browser, chromium } from 'playwright-core';
import { findChromium, WAYS_TO_CHROMIUM } from '../tools/set-up/find-chromium.mjs';

/** @throws Error with the ways to a Chromium where the machine has none. */
export function chromiumToRun(): string {
  const found = findChromium(process.env);
  if (found === undefined) throw new Error(WAYS_TO_CHROMIUM);
  return found;
}

/** A Chromium without a window and without an extension, for plain pages. */
export function startChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumToRun(), args: ['--no-sandbox'] });
}

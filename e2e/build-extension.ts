import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { BrowserKind } from './driver.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Builds the extension into a folder as it is shipped, with these VITE_ variables over the environment's. */
export async function buildExtension(
  outDir: string,
  addresses: Readonly<Record<string, string>>,
  browser: BrowserKind = 'chromium',
): Promise<void> {
  const vite = here('../node_modules/vite/bin/vite.js');
  const mode = browser === 'firefox' ? ['--mode', 'firefox'] : [];
  const parameters = [vite, 'build', ...mode, '--outDir', outDir, '--emptyOutDir', '--logLevel', 'warn'];
  await promisify(execFile)(process.execPath, parameters, {
    cwd: here('../extension'),
    // The test runner sets it to "test", which would bring React's development build.
    env: { ...process.env, NODE_ENV: 'production', ...addresses },
  });
}

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Builds the extension into a folder, with these VITE_ variables over the environment's. */
export async function buildExtension(
  outDir: string,
  addresses: Readonly<Record<string, string>>,
): Promise<void> {
  const vite = here('../node_modules/vite/bin/vite.js');
  const parameters = [vite, 'build', '--outDir', outDir, '--emptyOutDir', '--logLevel', 'warn'];
  await promisify(execFile)(process.execPath, parameters, {
    cwd: here('../extension'),
    env: { ...process.env, ...addresses },
  });
}

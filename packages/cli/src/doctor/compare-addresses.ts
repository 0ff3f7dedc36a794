import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../local/ports.ts';

/** An address on this machine in an extension's files that isn't the suite's. */
export interface WrongAddress {
  /** From the extension's folder. */
  readonly file: string;
  readonly found: string;
  readonly expected: string;
}

/** The service's address, which tells a suite from every other. Minified code has it in one piece too. */
const SERVICE = /http:\/\/(?:127\.0\.0\.1|localhost):\d+\/demo-[\w-]+\/[\w-]+\/api\b/g;
const LARGEST = 20 * 1024 * 1024;

/**
 * Compares the local service's address in an extension's files with that of the running suite: with a port offset they
 * differ, and the extension then talks to nothing, or to another suite.
 */
export function wrongAddresses(
  folder: string,
  { BILLING_BASE_URL: expected = '' }: Environment,
): readonly WrongAddress[] {
  const files = globSync('**/*.{js,mjs,cjs,ts,tsx,html}', {
    cwd: folder,
    exclude: (path) => /(?:^|\/)(?:node_modules|\.git)$/.test(path),
  });
  return files.flatMap((file) => {
    const path = join(folder, file);
    const { size } = statSync(path);
    const text = size > LARGEST ? '' : readFileSync(path, 'utf8');
    const found = [...new Set(text.match(SERVICE) ?? [])];
    return found.filter((each) => each !== expected).map((each) => ({ file, found: each, expected }));
  });
}

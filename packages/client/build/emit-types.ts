import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';

const TSC = join('node_modules', 'typescript', 'bin', 'tsc');

/**
 * Writes the declarations of the package's doors, and of all that they name, into a folder where they stand by
 * themselves: the client's at its top, the contract beside it, and no path that only this repository knows.
 *
 * @throws Error with the compiler's words where the types do not hold.
 */
export async function emitTypes(client: string, into: string): Promise<void> {
  const emitted = mkdtempSync(join(tmpdir(), 'billing-types-'));
  try {
    const words = [join('..', '..', TSC), '-p', 'tsconfig.build.json', '--outDir', emitted];
    await promisify(execFile)(process.execPath, words, { cwd: client }).catch((error: { stdout: string }) => {
      throw new Error(`The types of the client do not hold:\n${error.stdout}`);
    });
    cpSync(join(emitted, 'client', 'src'), into, { recursive: true });
    cpSync(join(emitted, 'contract', 'src'), join(into, 'contract'), { recursive: true });
  } finally {
    rmSync(emitted, { recursive: true, force: true });
  }
  for (const file of readdirSync(into, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.d.ts')) continue;
    const up = relative(dirname(file), '.').split(sep).join('/') || '.';
    const text = readFileSync(join(into, file), 'utf8');
    writeFileSync(join(into, file), standAlone(text, up));
  }
}

/** Imports by what an installed package has: `@extension-billing/contract/x` and `./y.tsx` become paths to declarations. */
function standAlone(declarations: string, up: string): string {
  return declarations
    .replace(/^import '[^']+\.css';\n/gm, '')
    .replace(/(['"])@extension-billing\/contract\/([\w-]+)(['"])/g, `$1${up}/contract/$2.js$3`)
    .replace(/(['"])(?:\.\.\/)+contract\/src\/([\w-]+)\.ts(['"])/g, `$1${up}/contract/$2.js$3`)
    .replace(/(['"])(\.{1,2}\/[^'"]+)\.tsx?(['"])/g, '$1$2.js$3');
}

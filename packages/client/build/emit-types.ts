import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { promisify } from 'node:util';

const CONTRACT = '@extension-billing/contract/';
const TSC = join('node_modules', 'typescript', 'bin', 'tsc');

/**
 * Writes the declarations of the package's doors, and of all that they name, into a folder where they stand by
 * themselves: the package's at its top, the contract beside it, and no path that only this repository knows.
 *
 * @param folder of the package, beside the contract's
 * @param root `rootDir` of its tsconfig.build.json
 * @param change of each file's text, last of all
 * @throws Error with the compiler's output where the types do not hold.
 */
export async function emitTypes(
  folder: string,
  into: string,
  root = '..',
  change = (declarations: string): string => declarations,
): Promise<void> {
  const emitted = mkdtempSync(join(tmpdir(), 'billing-types-'));
  try {
    // One thread: several would each read what they share.
    const args = [
      join('..', '..', TSC),
      '--singleThreaded',
      '-p',
      'tsconfig.build.json',
      '--outDir',
      emitted,
    ];
    await promisify(execFile)(process.execPath, args, { cwd: folder }).catch((error: { stdout: string }) => {
      throw new Error(`The types of the package do not hold:\n${error.stdout}`);
    });
    const emittedOf = (path: string) => join(emitted, relative(resolve(folder, root), resolve(folder, path)));
    const sources = emittedOf('src');
    const contract = emittedOf('../contract/src');
    for (const file of reachable(join(sources, 'exports'))) {
      const inside = file.startsWith(contract)
        ? join('contract', relative(contract, file))
        : relative(sources, file);
      cpSync(file, join(into, inside));
    }
  } finally {
    rmSync(emitted, { recursive: true, force: true });
  }
  for (const file of readdirSync(into, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.d.ts')) continue;
    const up = relative(dirname(file), '.').split(sep).join('/') || '.';
    const text = readFileSync(join(into, file), 'utf8');
    writeFileSync(join(into, file), change(standAlone(text, up)));
  }
}

/**
 * The doors' declarations and all that they name. What only the code behind them names stays away: it may need packages
 * that adopters do not have.
 */
function reachable(doors: string): Iterable<string> {
  const found = new Set(readdirSync(doors).map((name) => join(doors, name)));
  for (const file of found) {
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()'([^']+)'/g)) {
      const path = name.startsWith(CONTRACT)
        ? join(doors, '../../../contract/src', name.slice(CONTRACT.length))
        : join(dirname(file), name.replace(/\.tsx?$/, ''));
      const declaration = `${path}.d.ts`;
      if (existsSync(declaration)) found.add(declaration);
    }
  }
  return found;
}

/** Imports by what an installed package has: `@extension-billing/contract/x` and `./y.tsx` become paths to declarations. */
function standAlone(declarations: string, up: string): string {
  return declarations
    .replace(/^import '[^']+\.css';\n/gm, '')
    .replace(/(['"])@extension-billing\/contract\/([\w-]+)(['"])/g, `$1${up}/contract/$2.js$3`)
    .replace(/(['"])(?:\.\.\/)+contract\/src\/([\w-]+)\.ts(['"])/g, `$1${up}/contract/$2.js$3`)
    .replace(/(['"])(\.{1,2}\/[^'"]+)\.tsx?(['"])/g, '$1$2.js$3');
}

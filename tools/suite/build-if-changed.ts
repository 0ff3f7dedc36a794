import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Build {
  readonly workspace: string;
  readonly outFolder: string;
  /** A file in the out folder that every build writes anew. */
  readonly result: string;
  /** Files and folders that the build reads. */
  readonly sources: readonly string[];
  /** Values compiled into the result; another value needs another build. */
  readonly values: Readonly<Record<string, string>>;
  readonly args: readonly string[];
}

/** Lies in the out folder; a build by hand with other values empties the folder, and so removes it. */
const BUILT_WITH = '.built-with.json';

/**
 * Builds a workspace unless its result is newer than all its sources and was built with the same values.
 *
 * @returns whether it had to build.
 * @throws Error with what the build printed when it fails.
 */
export async function buildIfChanged(root: string, build: Build): Promise<boolean> {
  const sources = build.sources.map((source) => newestIn(join(root, source)));
  const values = JSON.stringify(build.values);
  const note = join(build.outFolder, BUILT_WITH);
  const isFresh = modifiedAt(join(build.outFolder, build.result)) > Math.max(...sources);
  if (isFresh && readIfThere(note) === values) return false;
  await run(root, build);
  writeFileSync(note, values);
  return true;
}

function newestIn(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  const inside = readdirSync(path).filter((name) => name !== 'node_modules' && name !== 'dist');
  return Math.max(stat.mtimeMs, ...inside.map((name) => newestIn(join(path, name))));
}

function modifiedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? -1;
}

function readIfThere(path: string): string | undefined {
  return modifiedAt(path) < 0 ? undefined : readFileSync(path, 'utf8');
}

function run(root: string, { workspace, args, values }: Build): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('npm', ['run', '--silent', 'build', '-w', workspace, '--', ...args], {
      cwd: root,
      env: { ...process.env, ...values },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    }
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`npm run build -w ${workspace} failed:\n\n${output.trimEnd()}\n`));
    });
  });
}

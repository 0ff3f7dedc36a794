import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SUITE = fileURLToPath(new URL('../suite.ts', import.meta.url));
/** Far from the usual ports, so that these tests run beside a suite that a person has up. */
export const OFFSET = 21_000;

export interface SuiteRun {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  output(): string;
  /** Waits until the suite has printed this. */
  printed(text: string): Promise<void>;
  /** Everything that this suite started and that still runs: the process id and how its command begins. */
  leftovers(): readonly string[];
}

/** Starts a suite around a command. Every process of it carries a mark in its environment. */
export function runSuite(command: readonly string[], environment: Record<string, string> = {}): SuiteRun {
  const mark = `BILLING_TEST_MARK=${randomUUID()}`;
  const { FORCE_COLOR: _, ...inherited } = process.env;
  const [name = '', value = ''] = mark.split('=');
  const child = spawn(process.execPath, [SUITE, ...command], {
    env: { ...inherited, BILLING_PORT_OFFSET: String(OFFSET), ...environment, [name]: value },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      for (const listener of listeners) listener();
    });
  }
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const printed = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (output.includes(text)) resolve();
      };
      listeners.add(look);
      look();
      ended.then(() => reject(new Error(`The suite ended before it printed "${text}":\n${output}`)));
    });
  return { child, ended, output: () => output, printed, leftovers: () => processesWith(mark) };
}

function processesWith(mark: string): readonly string[] {
  const listing = execFileSync('ps', ['axeww', '-o', 'pid=,command='], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return listing
    .split('\n')
    .filter((line) => line.includes(mark))
    .map((line) => line.trim().slice(0, 120));
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const LEFT_OUT = new Set(['node_modules', 'dist', 'dist-dev', '.git', '.suite', 'docs', '.firebase']);

/** A copy of this checkout's sources, for a test that changes them. Its packages are links to this checkout's. */
export function copyCheckout(into: string): void {
  for (const name of readdirSync(ROOT)) {
    if (LEFT_OUT.has(name)) continue;
    cpSync(join(ROOT, name), join(into, name), {
      recursive: true,
      filter: (path) => !LEFT_OUT.has(path.split('/').at(-1) ?? ''),
    });
  }
  const modules = join(into, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (name !== '@extension-billing' && name !== '.vite')
      symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  mkdirSync(join(modules, '@extension-billing'));
  for (const name of readdirSync(join(ROOT, 'packages')))
    symlinkSync(join(into, 'packages', name), join(modules, '@extension-billing', name));
}

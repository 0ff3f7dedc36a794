import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runNpm } from '../new-extension.ts';

export const FRAMEWORKS = ['nothing', 'React', 'Vue', 'Svelte'] as const;
export type Framework = (typeof FRAMEWORKS)[number];

/** An extension as its tool's documents describe it, before anybody thought of billing. */
export interface Project {
  /** Makes its files in an empty folder, and installs what they name from the registry. */
  readonly make: (folder: string) => Promise<void>;
  /** Where its own build (`npm run build`) puts the extension, from its folder. */
  readonly built: string;
  /** The page that its icon opens, from the root of the built extension. */
  readonly popup: string;
}

/** Writes files, each by its path from the folder. */
export async function writeFiles(
  folder: string,
  files: Readonly<Record<string, string | Buffer>>,
): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

const QUIET = ['--prefer-offline', '--no-audit', '--no-fund'];

/**
 * Installs what package.json names, and more, without running what packages bring to be run at their installation: it
 * fetches from places beside the registry.
 */
export async function install(folder: string, ...packages: readonly string[]): Promise<void> {
  await runNpm(folder, ['install', ...QUIET, '--ignore-scripts', ...packages]);
}

export const asJson = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

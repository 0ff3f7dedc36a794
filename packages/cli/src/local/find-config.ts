import { existsSync } from 'node:fs';
import { join } from 'node:path';

const CONFIGS = ['ts', 'mts', 'mjs', 'js'].map((end) => `billing.config.${end}`);

/** The catalogue of an extension: in its folder or, if that was built, at most two folders above. Null if there is none. */
export function findConfig(folder: string): string | null {
  const files = [folder, join(folder, '..'), join(folder, '../..')].flatMap((place) =>
    CONFIGS.map((name) => join(place, name)),
  );
  return files.find(existsSync) ?? null;
}

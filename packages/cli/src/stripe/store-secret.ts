import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/**
 * Puts one value into `.secret.local` and leaves its other lines as they are. Readable by its owner only.
 *
 * @returns whether the file was written; false when the value was there.
 */
export function storeSecret(file: string, name: string, value: string): boolean {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (parseEnv(text)[name] === value) return false;
  const line = `${name}=${value}`;
  const isIt = new RegExp(`^\\s*${name}\\s*=`);
  const lines = text.split('\n');
  const kept = lines.filter((one, at) => !(one === '' && at === lines.length - 1));
  const replaced = kept.some((one) => isIt.test(one))
    ? kept.map((one) => (isIt.test(one) ? line : one))
    : [...kept, line];
  const beside = `${file}.new`;
  writeFileSync(beside, `${replaced.join('\n')}\n`, { mode: 0o600 });
  renameSync(beside, file);
  return true;
}

// node --use-env-proxy tools/set-up/download.mjs <release> <archive> <folder>: downloads a release's archive into a
// folder and checks it against the release's sha256sums.txt.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [release = '', archive = '', folder = ''] = process.argv.slice(2);

/** @param {string} name */
async function get(name) {
  const response = await fetch(`${release}/${name}`, { signal: AbortSignal.timeout(60_000) });
  if (!response.ok) throw new Error(`${release}/${name} answered ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

try {
  const sums = (await get('sha256sums.txt')).toString('utf8');
  const listed = sums.split('\n').find((line) => line.trim().endsWith(archive));
  const [expected] = /^[0-9a-f]{64}/i.exec(listed ?? '') ?? [];
  if (expected === undefined) throw new Error(`sha256sums.txt doesn't list ${archive}`);
  const bytes = await get(archive);
  const actual = createHash('sha256').update(bytes).digest('hex');
  if (actual !== expected.toLowerCase()) throw new Error(`${archive} doesn't match its checksum`);
  writeFileSync(join(folder, archive), bytes);
} catch (error) {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  console.error(cause instanceof Error ? cause.message : cause);
  process.exitCode = 1;
}

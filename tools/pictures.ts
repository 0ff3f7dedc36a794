// npm run pictures: takes the pictures of the README and of every state again, the first on the whole suite.
import { spawnSync } from 'node:child_process';
import { parseArgs } from './args.ts';

parseArgs(process.argv.slice(2), 'usage: npm run pictures\n  writes docs/screenshots', {});
const STEPS = [
  ['tools/suite.ts', '--extension', 'node', 'e2e/take-loop.ts'],
  ['packages/client/test/preview/take-screenshots.ts'],
] as const;
for (const words of STEPS) {
  const { status } = spawnSync('node', words, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

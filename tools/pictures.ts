// npm run pictures: takes the pictures of the README and of every state again, the first on the whole suite.
import { spawnSync } from 'node:child_process';
import { parseArgs } from './args.ts';

parseArgs(process.argv.slice(2), 'usage: npm run pictures\n  writes docs/screenshots', {});
const STEPS = [
  ['node', 'tools/suite.ts', '--extension', 'node', 'e2e/take-loop.ts'],
  ['npm', 'run', 'screenshots', '-w', 'extension'],
] as const;
for (const [program, ...words] of STEPS) {
  const { status } = spawnSync(program, words, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

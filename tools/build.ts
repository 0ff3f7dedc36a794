// npm run build: the function's bundle and the extension's folder.
import { spawnSync } from 'node:child_process';
import { parseArgs } from './args.ts';

const USAGE = `usage: npm run build
  builds functions/dist and extension/dist; where they lead is in the environment (VITE_…, docs/going-live.md)`;

parseArgs(process.argv.slice(2), USAGE, {});
for (const workspace of ['functions', 'extension']) {
  const { status } = spawnSync('npm', ['run', 'build', '-w', workspace], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

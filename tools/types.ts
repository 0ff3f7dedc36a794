// node tools/types.ts: checks every workspace and the scripts with the TypeScript compiler.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from './args.ts';

parseArgs(process.argv.slice(2), 'usage: node tools/types.ts', {});

const PROJECTS = [
  'functions',
  'packages/contract',
  'packages/client',
  'packages/server',
  'packages/simulator',
  'packages/simulator/src/pages/dashboard',
  'packages/cli',
  'extension',
  'examples/summarise',
  'examples/assistant',
  'examples/web-app',
  'e2e',
  'tools',
  'tools/bench',
];
const root = fileURLToPath(new URL('..', import.meta.url));

const INFO = 'tsconfig.tsbuildinfo';

/** @returns what the compiler complains of; empty when it does not. */
function check(projects: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    // One process reads what they share once, and is never told by an earlier run that something holds. Several threads
    // would check it several times, and other tests run on the processors meanwhile.
    const words = ['--build', '--force', '--singleThreaded', '--pretty', 'false'];
    const child = spawn('tsc', [...words, ...projects], {
      cwd: root,
      // Whatever else `npm test` runs with: all projects at once would take 1.6 GB for a second less.
      env: { ...process.env, GOGC: '100' },
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.once('error', reject);
    child.once('exit', (code) => resolve(code === 0 ? '' : output || `tsc ended with ${code}`));
  });
}

const complaints = await check(PROJECTS);
// Written by every build, also where nothing is emitted.
for (const project of PROJECTS) rmSync(join(root, project, INFO), { force: true });
if (complaints === '') for (const project of PROJECTS) console.log(`types: ${project} holds`);
else {
  console.log(complaints);
  process.exitCode = 1;
}

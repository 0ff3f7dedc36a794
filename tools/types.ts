// node tools/types.ts: checks every workspace and the scripts with the TypeScript compiler.
import { spawn } from 'node:child_process';
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

/** @returns what the compiler complains of in one project; empty when it does not. */
function check(project: string): Promise<string> {
  return new Promise((resolve, reject) => {
    // Several threads would check what they share several times, and other tests run on the processors meanwhile.
    const child = spawn('tsc', ['--pretty', 'false', '--singleThreaded', '-p', project], {
      cwd: root,
      env: { ...process.env, GOGC: '400' },
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.once('error', reject);
    child.once('exit', (code) => resolve(code === 0 ? '' : output || `tsc ended with ${code}`));
  });
}

for (const project of PROJECTS) {
  const complaints = await check(project);
  console.log(complaints === '' ? `types: ${project} holds` : `types: ${project}\n${complaints}`);
  if (complaints !== '') process.exitCode = 1;
}

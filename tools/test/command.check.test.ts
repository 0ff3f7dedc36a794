import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, inject, it } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The command of a project that is one check. */
    readonly command: readonly string[];
  }
}

/** The exit status of a check that cannot be made on this machine, and has said why. */
const SKIPPED = 77;

const [program = '', ...args] = inject('command');

it(`${[program, ...args].join(' ')} holds`, async ({ skip }) => {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [status] = await once(child, 'close');
  if (status === SKIPPED) skip(output);
  expect(status, output).toBe(0);
  console.log(output.trim());
});

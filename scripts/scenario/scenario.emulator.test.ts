import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { readAddresses } from './addresses.ts';

const { provider } = readAddresses(process.env);
const post = (path: string, body: object) =>
  fetch(`${provider}/_sim/${path}`, { method: 'POST', body: JSON.stringify(body) });

afterEach(async () => {
  await post('reset', {});
});

function play(
  words: readonly string[],
): Promise<{ readonly status: number | null; readonly output: string }> {
  const script = fileURLToPath(new URL('../scenario.ts', import.meta.url));
  const child = spawn(process.execPath, [script, ...words]);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, output })));
}

it('plays every scenario with the leg for Stripe too, through test clocks and fetched events alone', async () => {
  await post('delivery', { drop: true });
  const { status, output } = await play(['--leg', 'stripe']);
  expect(output).toContain(
    'The lifecycle held with the stripe leg: trial-to-canceled, packs, refunds, past-due',
  );
  expect(status).toBe(0);
});

it('says which scenarios there are when asked for another', async () => {
  const { status, output } = await play(['no-such-scenario']);
  expect(output).toContain('there are trial-to-canceled, packs, refunds, past-due, lifetime, second-plan');
  expect(status).toBe(1);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createSimulator } from '@extension-billing/simulator';
import { expect, it, onTestFinished, vi } from 'vitest';
import { askEmulator } from './emulator.ts';
import { whileHeld } from './provider-state.ts';

async function aSimulator() {
  const simulator = await createSimulator();
  onTestFinished(() => simulator.close());
  return simulator;
}

/** A process that holds and never lets go: a backup whose users take long. */
const A_HOLDER = `
  const { whileHeld } = await import('${new URL('./provider-state.ts', import.meta.url)}');
  await whileHeld(process.argv[1], () => new Promise(() => { console.log('held'); setInterval(() => {}, 1e6); }));
`;

it('a backup that is killed while it holds the events back leaves none held', async () => {
  const { url, dispatcher } = await aSimulator();
  const args = ['--input-type=module', '--eval', A_HOLDER, url];
  const holder = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void holder.kill('SIGKILL'));
  await once(holder.stdout, 'data');
  expect(dispatcher.holding()).toBe(1);
  holder.kill('SIGKILL');
  await vi.waitFor(() => expect(dispatcher.holding()).toBe(0));
});

it('lets go whatever comes of the work, and leaves what a person holds', async () => {
  const { url, dispatcher } = await aSimulator();
  await askEmulator('POST', `${url}/_sim/delivery`, { hold: true });
  const work = whileHeld(url, async () => {
    expect(dispatcher.holding()).toBe(1);
    throw new Error('the users could not be read');
  });
  await expect(work).rejects.toThrow('the users could not be read');
  await vi.waitFor(() => expect(dispatcher.holding()).toBe(0));
  expect(dispatcher.currentMode().hold).toBe(true);
});

it('is no backup where the simulator ended meanwhile', async () => {
  const { url, close } = await aSimulator();
  await expect(whileHeld(url, () => close())).rejects.toThrow('run it again');
});

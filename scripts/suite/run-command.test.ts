import { expect, it, vi } from 'vitest';
import { runCommand } from './run-command.ts';

const node = process.execPath;

it('gives the status of the command', async () => {
  expect(await runCommand([node, '--eval', 'process.exit(7)'], process.env).status).toBe(7);
});

it('gives 127 for a command that does not exist, as a shell does, and says so', async () => {
  const said = vi.spyOn(console, 'error').mockReturnValue();
  expect(await runCommand(['no-such-command-here'], process.env).status).toBe(127);
  expect(said).toHaveBeenCalledWith(expect.stringContaining('cannot run "no-such-command-here"'));
});

it('gives a single word with spaces to the shell', async () => {
  expect(await runCommand(['true && exit 3'], process.env).status).toBe(3);
});

it('gives 128 and the signal for a command that a signal ended', async () => {
  expect(await runCommand([node, '--eval', 'process.kill(process.pid, "SIGTERM")'], process.env).status).toBe(
    143,
  );
});

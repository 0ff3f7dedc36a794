// npm run suite -- <command…>: runs a command with the whole suite up, and exits with its status.
import { fileURLToPath } from 'node:url';
import { readPorts } from '../packages/cli/src/local/ports.ts';
import { answerHelp } from './args.ts';
import { buildExtension } from './suite/builds.ts';
import { endingSignal, statusOfFailure, statusOfSignal } from './suite/processes.ts';
import { lookFirst, runCommand } from './suite/run-command.ts';

const USAGE = `usage: npm run suite -- [--extension | --test-key] <command…>

Runs the command with the emulators, the provider simulator, the function and the return pages up, and their
addresses in its environment; exits with its status. --extension also builds the extension for these
addresses and puts its folder in EXTENSION_DIST. --test-key takes STRIPE_TEST_KEY, where it is set, in place
of the key in .secret.local.`;

async function main(argv: readonly string[]): Promise<number> {
  const withExtension = argv[0] === '--extension';
  const withTestKey = argv[0] === '--test-key';
  const words = withExtension || withTestKey ? argv.slice(1) : argv;
  answerHelp(argv.slice(0, 1), USAGE);
  if (words.length === 0 || words[0]?.startsWith('--')) {
    console.error(USAGE);
    return 2;
  }
  const known = lookFirst(words, process.env);
  if (known !== null) return known;
  const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
  const ending = endingSignal();
  const started = Date.now();
  // Imported here, so that a catalogue that can't be read is reported by this function's caller.
  const { bringUp } = await import('./suite/bring-up.ts');
  const suite = await bringUp(
    root,
    process.env,
    ending.aborted,
    withTestKey ? process.env.STRIPE_TEST_KEY : undefined,
  );
  try {
    const extension = withExtension
      ? { EXTENSION_DIST: await buildExtension(root, readPorts(process.env), suite.variables) }
      : {};
    console.error(`suite: up in ${((Date.now() - started) / 1000).toFixed(1)} s`);
    const environment = { ...process.env, ...suite.variables, ...extension };
    const status = runCommand(words, environment, (child, leadsGroup) =>
      suite.processes.adopt('command', child, leadsGroup),
    );
    const signalled = ending.received.then((signal) => statusOfSignal(signal));
    const outcome = await Promise.race([status, signalled, suite.broken]);
    if (typeof outcome === 'number') return outcome;
    console.error(`suite: ${outcome}`);
    return 1;
  } finally {
    await suite.end();
  }
}

process.exitCode = await main(process.argv.slice(2)).catch(statusOfFailure);
process.exit();

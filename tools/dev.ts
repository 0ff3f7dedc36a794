// npm run dev [-- --browser]: the suite, the function from its sources and vite's hot reload, in one terminal.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLogger, createServer, type Logger, type ViteDevServer } from 'vite';
import { readPorts } from '../packages/cli/src/local/ports.ts';
import { answerHelp } from './args.ts';
import { followLogs, prefixed } from './dev/follow-logs.ts';
import { findChromium } from './set-up/find-chromium.mjs';
import { OPTIONS_PAGE, planBrowser } from './start/open.ts';
import type { Serving, Suite } from './suite/bring-up.ts';
import { extensionVariables } from './suite/builds.ts';
import { planDirectServer, type Surroundings } from './suite/parts.ts';
import { endingSignal, statusOfFailure, statusOfSignal } from './suite/processes.ts';

const VITE_PORT = 5173;
const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const print = (part: string, line: string): void => console.log(prefixed(part, line));

/** The direct server, from the sources; the provider's events go to it too, so that one change reaches all. */
const FROM_SOURCES: Serving = {
  direct(at: Surroundings) {
    const plan = planDirectServer(at);
    const server = join(at.root, 'tools', 'dev', 'function-server.ts');
    const args = [server, join(at.folder, 'function'), String(at.ports.direct)];
    return { ...plan, command: { ...plan.command, name: 'function', args } };
  },
  webhook: 'BILLING_DIRECT_URL',
};

const USAGE = 'usage: npm run dev [-- --browser]';

async function main(words: readonly string[]): Promise<number> {
  answerHelp(words, USAGE);
  const unknown = words.find((word) => word !== '--browser');
  if (unknown !== undefined) {
    console.error(`"${unknown}" is not known.\n${USAGE}`);
    return 2;
  }
  const ending = endingSignal();
  print('dev', 'starting the emulators, the provider, the function and vite (about 10 s) …');
  // Imported here, so that a catalogue that can't be read is reported by this function's caller.
  const { bringUp } = await import('./suite/bring-up.ts');
  const suite = await bringUp(root, process.env, ending.aborted, undefined, FROM_SOURCES);
  const unfollow = followLogs(suite.folder, (line) => console.log(line));
  try {
    const ports = readPorts(process.env);
    const vitePort = VITE_PORT + (ports.direct - readPorts({}).direct);
    const service = String(suite.variables.BILLING_DIRECT_URL);
    const addresses = extensionVariables({ ...suite.variables, BILLING_BASE_URL: service });
    const vite = await startVite(root, addresses, vitePort, (line) => print('extension', line));
    if (words.includes('--browser')) openBrowser(suite);
    print('dev', `ready: load extension/dist-dev in chrome://extensions, or start with "-- --browser"`);
    print('dev', `service ${service}   provider ${suite.variables.PROVIDER_BASE_URL ?? 'Stripe'}/_sim`);
    print('dev', 'A changed component or function shows at once. Lifetime is tested on builds: npm start.');
    const outcome = await Promise.race([ending.received, suite.broken]);
    await vite.close();
    if (outcome === 'SIGINT') return 0;
    if (outcome === 'SIGTERM' || outcome === 'SIGHUP') return statusOfSignal(outcome);
    console.error(outcome);
    return 1;
  } finally {
    unfollow();
    await suite.end();
  }
}

function openBrowser(suite: Suite): void {
  const program = findChromium(process.env);
  if (program === undefined) {
    print('dev', 'no Chromium was found to open');
    return;
  }
  suite.processes.start(
    planBrowser({
      program,
      extension: join(root, 'extension', 'dist-dev'),
      profile: join(suite.folder, 'project', 'browser-profile'),
      pages: [OPTIONS_PAGE],
      asRoot: process.getuid?.() === 0,
      environment: process.env,
    }),
  );
}

/**
 * Starts vite for the extension, with hot reload; it writes the folder to load, extension/dist-dev.
 *
 * @param addresses the VITE_ variables of this suite
 */
async function startVite(
  root: string,
  addresses: Readonly<Record<string, string>>,
  port: number,
  print: (line: string) => void,
): Promise<ViteDevServer> {
  Object.assign(process.env, addresses, { BILLING_DEV_PORT: String(port) });
  const server = await createServer({
    configFile: join(root, 'extension', 'vite.config.ts'),
    clearScreen: false,
    customLogger: printingLogger(print),
  });
  return server.listen();
}

function printingLogger(print: (line: string) => void): Logger {
  const write = (message: string): void => {
    for (const line of message.split('\n')) if (line.trim() !== '') print(line);
  };
  return { ...createLogger('info', { allowClearScreen: false }), info: write, warn: write, error: write };
}

process.exitCode = await main(process.argv.slice(2)).catch(statusOfFailure);
process.exit();

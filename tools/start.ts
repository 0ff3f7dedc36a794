// npm start [-- --browser | --no-browser]: the whole suite, the built extension, and what to do with them.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readPorts } from '../packages/cli/src/local/ports.ts';
import { readSecrets, suiteVariables } from '../packages/cli/src/local/suite.ts';
import { answerHelp } from './args.ts';
import { findChromium } from './set-up/find-chromium.mjs';
import { hasDisplay, OPTIONS_PAGE, planBrowser, welcome } from './start/open.ts';
import { bringUp, type Suite } from './suite/bring-up.ts';
import { buildExtension } from './suite/builds.ts';
import { endingSignal, statusOfFailure, statusOfSignal } from './suite/processes.ts';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

const USAGE = 'usage: npm start [-- --browser | --no-browser]';

async function main(words: readonly string[]): Promise<number> {
  answerHelp(words, USAGE);
  const unknown = words.find((word) => word !== '--browser' && word !== '--no-browser');
  if (unknown !== undefined) {
    console.error(`"${unknown}" is not known.\n${USAGE}`);
    return 2;
  }
  const ending = endingSignal();
  const started = Date.now();
  console.log('Starting the emulators, the provider and the extension (about 10 s) …');
  const ports = readPorts(process.env);
  const variables = suiteVariables(ports, readSecrets(join(root, '.secret.local')));
  const building = buildExtension(root, ports, variables);
  building.catch(() => {});
  const suite = await bringUp(root, process.env, ending.aborted);
  try {
    const extension = await building;
    const chromium = findChromium(process.env);
    const wanted = words.includes('--browser') || hasDisplay(process.env, process.platform);
    const opened = chromium !== undefined && wanted && !words.includes('--no-browser');
    if (opened) openBrowser(suite, chromium, extension);
    const seconds = (Date.now() - started) / 1000;
    console.log(welcome({ seconds, extension, variables: suite.variables, chromium, opened }));
    const outcome = await Promise.race([ending.received, suite.broken]);
    if (outcome === 'SIGINT') return 0;
    if (outcome === 'SIGTERM' || outcome === 'SIGHUP') return statusOfSignal(outcome);
    console.error(outcome);
    return 1;
  } finally {
    console.log('\nEnding everything …');
    await suite.end();
  }
}

function openBrowser(suite: Suite, program: string, extension: string): void {
  const provider = suite.variables.PROVIDER_BASE_URL;
  suite.processes.start(
    planBrowser({
      program,
      extension,
      profile: join(suite.folder, 'project', 'browser-profile'),
      pages: [OPTIONS_PAGE, ...(provider === undefined ? [] : [`${provider}/_sim`])],
      asRoot: process.getuid?.() === 0,
      environment: process.env,
    }),
  );
}

process.exitCode = await main(process.argv.slice(2)).catch(statusOfFailure);
process.exit();

// npm start [-- --browser | --no-browser] [--extension <folder>]: the whole suite, an extension, and what to do with them.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkAnswer } from '../packages/cli/src/doctor/check-account.ts';
import { wrongAddresses } from '../packages/cli/src/doctor/compare-addresses.ts';
import { readPorts } from '../packages/cli/src/local/ports.ts';
import { readSecrets, suiteVariables } from '../packages/cli/src/local/suite.ts';
import { connect } from '../packages/cli/src/stripe/connect.ts';
import { parseArgs } from './args.ts';
import { findChromium } from './set-up/find-chromium.mjs';
import { findExtension, type GivenExtension, writeSoldCatalog } from './start/given-extension.ts';
import { hasDisplay, OPTIONS_PAGE, planBrowser, welcome } from './start/open.ts';
import type { Suite } from './suite/bring-up.ts';
import { buildExtension } from './suite/builds.ts';
import { endingSignal, statusOfFailure, statusOfSignal } from './suite/processes.ts';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

const USAGE = `usage: npm start [-- --browser | --no-browser] [--extension <folder>]

Brings up the emulators, the provider simulator and the function, and opens Chromium with the demo.

  --browser, --no-browser   opens it also without a display, or not at all
  --extension <folder>      another extension in the demo's place: sells its billing.config.ts and lets it in, by
                            the id that its key gives it, else its path`;

async function main(words: readonly string[]): Promise<number> {
  const { values } = parseArgs(words, USAGE, {
    options: {
      browser: { type: 'boolean' },
      'no-browser': { type: 'boolean' },
      extension: { type: 'string' },
    },
  });
  const given = values.extension === undefined ? null : findExtension(values.extension);
  const ending = endingSignal();
  const started = Date.now();
  console.log('Starting the emulators, the provider and the extension (about 10 s) …');
  const environment = given === null ? process.env : await environmentOf(given);
  // Imported here, so that a catalogue that can't be read is reported by this function's caller.
  const { bringUp } = await import('./suite/bring-up.ts');
  const ports = readPorts(environment);
  const variables = suiteVariables(ports, readSecrets(join(root, '.secret.local')));
  const building = given === null ? buildExtension(root, ports, variables) : Promise.resolve(given.folder);
  building.catch(() => {});
  const stripe = askStripe(variables);
  const suite = await bringUp(root, environment, ending.aborted);
  try {
    const extension = await building;
    const chromium = findChromium(process.env);
    const wanted = values.browser === true || hasDisplay(process.env, process.platform);
    const opened = chromium !== undefined && wanted && values['no-browser'] !== true;
    if (opened) openBrowser(suite, chromium, extension, given?.page ?? OPTIONS_PAGE);
    const seconds = (Date.now() - started) / 1000;
    const problems = [
      ...(await stripe),
      ...(given === null ? [] : wrongAddresses(given.folder, suite.variables)).map(
        ({ file, found, expected }) =>
          `${file} of the extension leads to ${found}, and this suite is at ${expected}`,
      ),
    ];
    console.log(
      welcome({ seconds, extension, variables: suite.variables, chromium, opened, problems, given }),
    );
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

/** The suite lets this extension in, and sells what it sells. */
async function environmentOf({ id, name, config }: GivenExtension): Promise<NodeJS.ProcessEnv> {
  const { BILLING_EXTENSION_IDS: others } = process.env;
  const letIn = {
    BILLING_SIMULATOR_MERCHANT: name,
    ...process.env,
    BILLING_EXTENSION_IDS: others ? `${id},${others}` : id,
  };
  if (config === null) return letIn;
  return { ...letIn, BILLING_CATALOG: await writeSoldCatalog(config, join(root, '.suite')) };
}

/** What is wrong with the test key, if the provider is Stripe. */
async function askStripe(variables: Readonly<Record<string, string>>): Promise<readonly string[]> {
  if (variables.PROVIDER_BASE_URL !== undefined) return [];
  const { PAYMENT_SECRET_KEY: key } = readSecrets(join(root, '.secret.local'));
  const answer = await checkAnswer(await connect({ key, base: null }));
  return answer.ok ? [] : [`${answer.about}. ${answer.todo}`];
}

function openBrowser(suite: Suite, program: string, extension: string, page: string): void {
  const provider = suite.variables.PROVIDER_BASE_URL;
  suite.processes.start(
    planBrowser({
      program,
      extension,
      profile: join(suite.folder, 'project', 'browser-profile'),
      pages: [page, ...(provider === undefined ? [] : [`${provider}/_sim`])],
      asRoot: process.getuid?.() === 0,
      environment: process.env,
    }),
  );
}

process.exitCode = await main(process.argv.slice(2)).catch(statusOfFailure);
process.exit();

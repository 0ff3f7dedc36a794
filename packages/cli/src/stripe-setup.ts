// npm run stripe:setup [-- --endpoint <https url>] [--live]: catalog, portal and webhook endpoint at the provider.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import catalog from '../../../billing.config.ts';
import { parseWords } from '../../../tools/args.ts';
import { copySecrets } from '../../../tools/set-up/copy-secrets.mjs';
import { readSecrets } from './local/suite.ts';
import { chooseProvider, connect, redact } from './stripe/connect.ts';
import { lineOf, setUpProvider } from './stripe/set-up.ts';
import { checkEndpointUrl } from './stripe/webhook.ts';

const USAGE = `usage: npm run stripe:setup -- [--endpoint <https url>] [--live]
  --endpoint  also registers this webhook endpoint, https://…/billing/webhook
  --live      the live account, with the live key in PAYMENT_SECRET_KEY; without it the test key of .secret.local`;

/** Whom the command was asking when it failed. */
let talksTo: 'simulator' | 'stripe' = 'simulator';

async function main(): Promise<number> {
  const { values } = parseWords(process.argv.slice(2), USAGE, {
    options: { endpoint: { type: 'string' }, live: { type: 'boolean', default: false } },
  });
  const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');
  // What is live never mixes with what the local suite reads.
  const secretFile = join(root, values.live ? '.secret.live' : '.secret.local');
  const choice = chooseProvider(process.env, readSecrets(secretFile).PAYMENT_SECRET_KEY, values.live);
  const isSimulator = choice.base !== null;
  talksTo = isSimulator ? 'simulator' : 'stripe';
  const endpoint = values.endpoint === undefined ? undefined : checkEndpointUrl(values.endpoint, isSimulator);
  console.log(
    isSimulator ? `The simulator at ${choice.base}:` : `Stripe, with the key ${redact(choice.key)}:`,
  );
  const stripe = await connect(choice);
  const steps = await setUpProvider({ stripe, isSimulator, catalog, endpoint, secretFile });
  if (!values.live) copySecrets(root);
  for (const step of steps) console.log(lineOf(step));
  if (endpoint === undefined && !isSimulator) {
    console.log(
      'no webhook endpoint asked for (-- --endpoint https://…/billing/webhook); locally: stripe listen',
    );
  }
  const changed = steps.filter(({ did }) => did === 'created' || did === 'updated').length;
  console.log(changed === 0 ? 'Nothing had to be changed.' : `${changed} changed.`);
  return steps.some(({ did }) => did === 'problem') ? 1 : 0;
}

process.exitCode = await main().catch((error: unknown) => {
  const refused = error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
  console.error(error instanceof Error ? error.message : String(error));
  const isUnreachable = refused || (error instanceof Error && /connection/i.test(error.message));
  if (isUnreachable) {
    console.error(
      talksTo === 'simulator'
        ? 'Is the simulator up? npm run simulator, or npm start.'
        : 'Stripe (api.stripe.com) cannot be reached from here. Check the network and any proxy, then run this again.',
    );
  }
  return 1;
});

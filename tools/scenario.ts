// npm run scenario [-- --leg simulator|stripe] [<name>…]: the lifecycle scenarios, with the record at each step.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readAddresses, readSecrets } from '../packages/cli/src/local/suite.ts';
import { chooseProvider, connect } from '../packages/cli/src/stripe/connect.ts';
import { parseArgs } from './args.ts';
import { openTarget, play, SCENARIOS } from './scenario/targets.ts';
import { endAfterWords } from './suite/run-command.ts';

async function main(): Promise<number> {
  const options = { leg: { type: 'string' } } as const;
  const names = SCENARIOS.map(({ name }) => name);
  const usage = `usage: npm run scenario -- [--leg simulator|stripe] [<name>…]\n  names: ${names.join(', ')}`;
  const { values, positionals } = parseArgs(process.argv.slice(2), usage, {
    options,
    allowPositionals: true,
  });
  const unknown = positionals.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    console.error(`There is no scenario "${unknown}".\n\n${usage}`);
    return 2;
  }
  const legs = ['simulator', 'stripe'];
  if (values.leg !== undefined && !legs.includes(values.leg)) {
    console.error(`There is no leg "${values.leg}".\n\n${usage}`);
    return 2;
  }
  endAfterWords(process.env);
  const suite = readAddresses(process.env);
  const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
  // The suite has the simulator up exactly when it does not run with a real key.
  const key = suite.provider === '' ? process.env.STRIPE_TEST_KEY : undefined;
  const environment = { ...process.env, PAYMENT_SECRET_KEY: key };
  const choice = chooseProvider(environment, readSecrets(join(root, '.secret.local')).PAYMENT_SECRET_KEY);
  const leg = values.leg ?? (choice.base === null ? 'stripe' : 'simulator');
  const provider = await openTarget(leg, suite, await connect(choice));
  const chosen = SCENARIOS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  for (const scenario of chosen) {
    console.log(`\n── ${scenario.name}: ${scenario.what}`);
    await play(scenario, suite, provider);
  }
  const played = chosen.map(({ name }) => name).join(', ');
  console.log(`\nThe lifecycle held with the ${leg} leg: ${played}.`);
  return 0;
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(error);
  return 1;
});

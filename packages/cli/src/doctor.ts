// npm run doctor [-- --endpoint <url>]: what is set up and what is not, one line each; fails on a problem.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseWords } from '../../../tools/args.ts';
import { bringUp } from '../../../tools/suite/bring-up.ts';
import { endingSignal, statusOfFailure } from '../../../tools/suite/ending-signal.ts';
import { lineOf } from './doctor/check-settings.ts';
import { examine } from './doctor/examine.ts';
import { readPorts, withFreePorts } from './local/ports.ts';
import { functionParameters, readSecrets, suiteVariables } from './local/suite.ts';

const USAGE = `usage: npm run doctor -- [--endpoint <https url>]
  --endpoint  the deployed service's webhook address, to see whether the provider sends its events there`;

/** Inside a running suite (npm run suite -- …) that one is examined; else one is brought up for it. */
async function main(): Promise<number> {
  const options = { endpoint: { type: 'string' } } as const;
  const { values } = parseWords(process.argv.slice(2), USAGE, { options });
  const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');
  const isInside = process.env.FIRESTORE_EMULATOR_HOST !== undefined;
  const environment = isInside ? process.env : await withFreePorts(process.env);
  const secrets = readSecrets(join(root, '.secret.local'));
  const ports = readPorts(environment);
  const suite = isInside ? undefined : await bringUp(root, environment, endingSignal().aborted);
  try {
    const variables = { ...suiteVariables(ports, secrets), ...(isInside ? environment : suite?.variables) };
    const parameters = { ...functionParameters(ports, secrets, environment), FUNCTIONS_EMULATOR: 'true' };
    const findings = await examine({ secrets, parameters, variables, endpoint: values.endpoint });
    for (const finding of findings) console.log(lineOf(finding));
    const problems = findings.filter(({ ok }) => !ok).length;
    console.log(
      problems === 0 ? '\nEverything is in order.' : `\n${problems} of ${findings.length} need you.`,
    );
    return problems === 0 ? 0 : 1;
  } finally {
    await suite?.end();
  }
}

process.exitCode = await main().catch(statusOfFailure);
process.exit();

import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findStripeCli, WAYS_TO_STRIPE_CLI } from '../../../../tools/set-up/find-stripe-cli.mjs';
import { thisMachine } from '../../../../tools/set-up/machine.mjs';
import { SIMULATOR_SECRETS } from '../../../../tools/suite/settings.ts';

/** Stripe's own command line, pointed at the simulator, with settings of its own and nobody's login. */
export interface StripeCli {
  /** @returns what it printed. @throws Error with what it printed when it failed. */
  run(...words: readonly string[]): Promise<string>;
}

/** @throws Error naming the ways to get the CLI when there is none. */
export function stripeCli(simulator: string): StripeCli {
  const program = findStripeCli(thisMachine(process.env));
  if (program === undefined) throw new Error(WAYS_TO_STRIPE_CLI);
  const home = mkdtempSync(join(tmpdir(), 'billing-stripe-cli-'));
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    XDG_CONFIG_HOME: home,
    STRIPE_CLI_TELEMETRY_OPTOUT: '1',
    DO_NOT_TRACK: '1',
  };
  const address = ['--api-base', simulator, '--api-key', SIMULATOR_SECRETS.PAYMENT_SECRET_KEY];
  return {
    run: (...words) =>
      new Promise((resolve, reject) => {
        const child = spawn(program, [...words, ...address], { env, stdio: ['ignore', 'pipe', 'pipe'] });
        let output = '';
        for (const stream of [child.stdout, child.stderr]) {
          stream.on('data', (chunk: Buffer) => {
            output += chunk.toString();
          });
        }
        child.once('error', reject);
        child.once('close', (code) => {
          // A refused request is printed, and does not change the CLI's status.
          const refused = /"error": \{|Trigger failed/.test(output);
          if (code === 0 && !refused) resolve(output);
          else reject(new Error(`stripe ${words.join(' ')} ended with ${code}:\n${output}`));
        });
      }),
  };
}

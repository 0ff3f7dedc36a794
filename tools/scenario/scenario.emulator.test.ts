import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { controlsOf } from '@extension-billing/simulator/control';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { readAddresses, SIMULATOR_SECRETS } from '../../packages/cli/src/local/suite.ts';
import { connect } from '../../packages/cli/src/stripe/connect.ts';
import { openTarget, type ProviderDriver, play, SCENARIOS } from './targets.ts';

const suite = readAddresses(process.env);
const simulator = controlsOf(suite.provider);
const legs = {
  simulator: (play: () => Promise<void>) => play(),
  // All by the API alone, through test clocks and fetched events: the simulator delivers none.
  stripe: simulator.whileEventsAreLost,
};

describe.each(Object.entries(legs))('with the %s leg', (leg, around) => {
  let provider: ProviderDriver;
  beforeAll(async () => {
    const choice = { key: SIMULATOR_SECRETS.PAYMENT_SECRET_KEY, base: suite.provider };
    provider = await openTarget(leg, suite, await connect(choice));
  });
  beforeEach(() => {
    vi.spyOn(console, 'table').mockReturnValue();
    vi.spyOn(console, 'log').mockReturnValue();
  });
  afterAll(() => simulator.reset());

  it.each(SCENARIOS)('$what', (scenario) => around(() => play(scenario, suite, provider)));
});

describe('npm run scenario', () => {
  function run(
    words: readonly string[],
  ): Promise<{ readonly status: number | null; readonly output: string }> {
    const script = fileURLToPath(new URL('../scenario.ts', import.meta.url));
    const child = spawn(process.execPath, [script, ...words]);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    }
    return new Promise((resolve) => child.once('close', (status) => resolve({ status, output })));
  }

  it('plays what is named, with the record at each step', async () => {
    const { status, output } = await run(['trial-to-canceled', 'refunds']);
    expect(output).toMatch(/creditsRemaining/);
    expect(output).toContain('The lifecycle held with the simulator leg: trial-to-canceled, refunds.');
    expect(status).toBe(0);
  });

  it('says which scenarios there are when asked for another', async () => {
    const { status, output } = await run(['no-such-scenario']);
    expect(output).toContain('names: trial-to-canceled, packs, refunds, past-due, lifetime, second-plan');
    expect(status).toBe(2);
  });
});

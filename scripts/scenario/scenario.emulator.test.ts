import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { connect } from '../stripe/connect.ts';
import { SIMULATOR_SECRETS } from '../suite/settings.ts';
import { readAddresses } from './addresses.ts';
import { play, SCENARIOS, takeLeg } from './legs.ts';
import type { ProviderHands } from './provider-hands.ts';

const suite = readAddresses(process.env);
const post = (path: string, body: object) =>
  fetch(`${suite.provider}/_sim/${path}`, { method: 'POST', body: JSON.stringify(body) });

describe.each([
  ['simulator', false],
  // All by the API alone, through test clocks and fetched events: the simulator delivers none.
  ['stripe', true],
] as const)('with the %s leg', (leg, drop) => {
  let provider: ProviderHands;
  beforeAll(async () => {
    await post('delivery', { drop });
    const choice = { key: SIMULATOR_SECRETS.PAYMENT_SECRET_KEY, base: suite.provider };
    provider = await takeLeg(leg, suite, await connect(choice));
  });
  beforeEach(() => {
    vi.spyOn(console, 'table').mockReturnValue();
    vi.spyOn(console, 'log').mockReturnValue();
  });
  afterAll(() => post('reset', {}));

  it.each(SCENARIOS)('$what', (scenario) => play(scenario, suite, provider));
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
    expect(output).toContain('there are trial-to-canceled, packs, refunds, past-due, lifetime, second-plan');
    expect(status).toBe(1);
  });
});

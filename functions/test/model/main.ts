// npm run test:model -w functions -- --histories N --journeys N --seed S --path P --opening import|changes|disputes|by_hand
// npm run test:model -w functions -- --of clock|purchases|free|carried|sold --histories 100000 --seed S --path P
// A longer run of a model test. It prints its seed; what fails prints the seed and the path that replay it.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    histories: { type: 'string', default: '20000' },
    journeys: { type: 'string', default: '4' },
    seed: { type: 'string', default: String(Date.now() % 0x7fffffff) },
    path: { type: 'string' },
    /**
     * `events`: what the provider sends, in any order. `clock`: what time does to credits. `purchases`: what is bought
     * whose credits come by the clock. `free`: free credits. `carried`: versions that clients carry. `sold`: terms that change after a sale.
     */
    of: { type: 'string', default: 'events' },
    opening: { type: 'string', default: 'any' },
  },
});

const TESTS: Readonly<Record<string, string>> = {
  clock: 'clock',
  purchases: 'clock-events',
  free: 'free-credits',
  carried: 'carried',
  sold: 'sold-stays',
};
const test = `functions/test/model/${TESTS[values.of] ?? 'converges'}.test.ts`;
const root = fileURLToPath(new URL('../../..', import.meta.url));
const { status } = spawnSync(
  process.execPath,
  [
    `${root}/node_modules/vitest/vitest.mjs`,
    ...['run', '--root', root, '--project', 'unit', '--project', 'unit-isolated', test],
  ],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      MODEL_HISTORIES: values.histories,
      MODEL_JOURNEYS: values.journeys,
      MODEL_SEED: values.seed,
      MODEL_OPENING: values.opening,
      ...(values.path !== undefined && { MODEL_PATH: values.path }),
    },
  },
);
process.exitCode = status ?? 1;

// npm run test:model -w functions -- --histories N --journeys N --seed S --path P --opening import
// A longer run of the model test. It prints its seed; what fails prints the seed and the path that replay it.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    histories: { type: 'string', default: '20000' },
    journeys: { type: 'string', default: '4' },
    seed: { type: 'string', default: String(Date.now() % 0x7fffffff) },
    path: { type: 'string' },
    opening: { type: 'string', default: 'any' },
  },
});

const root = fileURLToPath(new URL('../../..', import.meta.url));
const { status } = spawnSync(
  process.execPath,
  [
    `${root}/node_modules/vitest/vitest.mjs`,
    ...['run', '--root', root, '--project', 'unit', 'functions/test/model/converges.test.ts'],
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

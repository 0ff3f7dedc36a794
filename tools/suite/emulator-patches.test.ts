import { createRequire } from 'node:module';
import { expect, it } from 'vitest';

// What is changed inside of firebase-tools (serve-at-once.cjs, skip-schema-check.cjs): each test sees first that it is
// still needed. One that fails there means that its patch can go. In the order of this file, since a patch stays.

const require = createRequire(import.meta.url);

/** A part of firebase-tools, as `node --require` finds it. */
const inside = (file: string) => require(`firebase-tools/lib/emulator/${file}`);

interface Busy {
  readonly state: 'BUSY';
}

/** What the emulator gives a request to while its only process serves another one. */
function workerForSecond(): Busy | undefined {
  const { RuntimeWorkerPool } = inside('functionsRuntimeWorker.js');
  const pool = new RuntimeWorkerPool();
  pool.setTriggerWorkers('api', [{ state: 'BUSY' }]);
  return pool.getIdleWorker('api');
}

/** How many processes two requests start that find none. */
async function startsForTwo(): Promise<number> {
  const { FunctionsEmulator } = inside('functionsEmulator.js');
  let starts = 0;
  const emulator = Object.assign(Object.create(FunctionsEmulator.prototype), {
    getRuntimeEnvs: () => ({}),
    resolveSecretEnvs: async () => ({}),
    startNode: async () => {
      starts += 1;
    },
    workerPools: { default: { addWorker: () => ({ waitForSocketReady: async () => {} }) } },
  });
  const backend = { codebase: 'default', runtime: 'nodejs24' };
  await Promise.all([
    emulator.startRuntime(backend, { id: 'api' }),
    emulator.startRuntime(backend, { id: 'api' }),
  ]);
  return starts;
}

/** The status that a request gets whose process does not start; null for no answer at all. */
async function statusWithoutProcess(): Promise<number | null> {
  const { FunctionsEmulator } = inside('functionsEmulator.js');
  let status: number | null = null;
  const emulator = Object.assign(Object.create(FunctionsEmulator.prototype), {
    args: { projectId: 'demo' },
    logger: { log: () => {}, logLabeled: () => {} },
    triggers: { api: { enabled: true, def: {}, backend: { codebase: 'default', runtime: 'nodejs24' } } },
    workerPools: { default: { readyForWork: () => false } },
    startRuntime: async () => {
      throw new Error('no process');
    },
  });
  const response = {
    headersSent: false,
    set: () => response,
    send: () => response,
    status: (code: number) => {
      status = code;
      return response;
    },
  };
  const request = { method: 'GET', url: '/', protocol: 'http', hostname: 'localhost', headers: {} };
  await emulator.handleHttpsTrigger({ ...request, params: { trigger_name: 'api' } }, response);
  return status;
}

it('firebase-tools, by itself, takes a process for each request and leaves one without any unanswered', async () => {
  expect(workerForSecond()).toBeUndefined();
  expect(await startsForTwo()).toBe(2);
  expect(await statusWithoutProcess()).toBeNull();
  require('./serve-at-once.cjs');
  expect(workerForSecond()).toEqual({ state: 'BUSY' });
  expect(await startsForTwo()).toBe(1);
  expect(await statusWithoutProcess()).toBe(503);
});

it('its auth emulator, by itself, checks each schema of Google’s API before it compiles it', async () => {
  const exegesis = require.resolve('exegesis', { paths: [require.resolve('firebase-tools')] });
  const Ajv = require(require.resolve('ajv/dist/core', { paths: [exegesis] })).default;
  const { compileApi } = require(exegesis);
  const schemas = { A: { type: 'string' }, B: { type: 'integer' } };
  const paths = Object.fromEntries(
    Object.values(schemas).map((schema, index) => [
      `/${index}`,
      {
        get: {
          operationId: `get${index}`,
          parameters: [{ name: 'a', in: 'query', schema }],
          responses: { default: { description: '' } },
        },
      },
    ]),
  );
  const checked = async () => {
    const { validateSchema } = Ajv.prototype;
    let checks = 0;
    Ajv.prototype.validateSchema = function (...about: unknown[]) {
      // With its patch in place nothing of it is left but a yes.
      if (validateSchema.length > 0) checks += 1;
      return validateSchema.apply(this, about);
    };
    try {
      await compileApi({ openapi: '3.0.1', info: { title: '', version: '1' }, paths }, { controllers: {} });
    } finally {
      Ajv.prototype.validateSchema = validateSchema;
    }
    return checks;
  };
  expect(await checked()).toBeGreaterThanOrEqual(Object.keys(schemas).length);
  require('./skip-schema-check.cjs');
  expect(await checked()).toBe(0);
});

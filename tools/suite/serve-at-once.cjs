// Loaded into firebase-tools (node --require). Its functions emulator gives every request that is under way a process
// of its own: 20 at once start 20 processes, and one that takes more than 30 s to come up leaves its request without
// any answer. Deployed, an instance takes 80 requests at once (`concurrency` in functions/src/index.ts), and so does the
// one process here. Where the shape of things is another one, nothing is changed (docs/decisions/local-suite.md).
const { dirname, join } = require('node:path');

try {
  const emulator = join(dirname(require.resolve('firebase-tools/package.json')), 'lib', 'emulator');
  const { RuntimeWorker, RuntimeWorkerPool } = require(join(emulator, 'functionsRuntimeWorker.js'));
  const { FunctionsEmulator } = require(join(emulator, 'functionsEmulator.js'));
  shareBusyWorkers(RuntimeWorkerPool.prototype, RuntimeWorker.prototype);
  startOneAtATime(FunctionsEmulator.prototype);
  alwaysAnswer(FunctionsEmulator.prototype);
} catch {
  // As firebase-tools does it.
}

/**
 * @typedef {{ state: string, runtime: { process: import('node:child_process').ChildProcess },
 *   request(...about: unknown[]): Promise<void> }} Worker
 * @typedef {{ getIdleWorker(...about: unknown[]): Worker | undefined,
 *   getTriggerWorkers(...about: unknown[]): Worker[] }} Pool
 * @typedef {{ startRuntime(backend: { codebase: string }, trigger?: { id: string }): Promise<unknown>,
 *   handleHttpsTrigger(req: unknown, res: import('express').Response): Promise<void> }} Emulator
 */

/**
 * A worker that serves requests takes more; it is idle when the last of them is done, and one that is to end, since its
 * code was changed, ends then.
 *
 * @param {Pool} pool
 * @param {Worker} worker
 */
function shareBusyWorkers(pool, worker) {
  const { getIdleWorker } = pool;
  const { request } = worker;
  /** @type {WeakMap<Worker, number>} */
  const underWay = new WeakMap();
  pool.getIdleWorker = function (...about) {
    const idle = getIdleWorker.apply(this, about);
    return idle ?? this.getTriggerWorkers(...about).find(({ state }) => state === 'BUSY');
  };
  worker.request = async function (...about) {
    if (!underWay.has(this)) {
      const child = this.runtime.process;
      const kill = child.kill.bind(child);
      child.kill = (signal) =>
        this.state === 'FINISHING' && (underWay.get(this) ?? 0) > 1 ? false : kill(signal);
    }
    underWay.set(this, (underWay.get(this) ?? 0) + 1);
    try {
      return await request.apply(this, about);
    } finally {
      const left = (underWay.get(this) ?? 1) - 1;
      underWay.set(this, left);
      if (left > 0 && this.state === 'IDLE') this.state = 'BUSY';
    }
  };
}

/**
 * Requests that find no worker wait for the one that is starting.
 *
 * @param {Emulator} emulator
 */
function startOneAtATime(emulator) {
  const { startRuntime } = emulator;
  /** @type {Map<string, Promise<unknown>>} */
  const starting = new Map();
  emulator.startRuntime = function (backend, trigger) {
    const key = `${backend.codebase} ${trigger?.id}`;
    const started = starting.get(key) ?? startRuntime.call(this, backend, trigger);
    starting.set(key, started);
    return started.finally(() => starting.delete(key));
  };
}

/**
 * Where no worker could be started it says so in its log, and to nobody else.
 *
 * @param {Emulator} emulator
 */
function alwaysAnswer(emulator) {
  const { handleHttpsTrigger } = emulator;
  emulator.handleHttpsTrigger = async function (req, res) {
    await handleHttpsTrigger.call(this, req, res);
    if (!res.headersSent) res.status(503).set('Retry-After', '1').send('The function could not be started.');
  };
}

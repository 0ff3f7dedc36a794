import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HOST, readPorts } from '../../packages/cli/src/local/ports.ts';
import { functionParameters, readSecrets, suiteVariables } from '../../packages/cli/src/local/suite.ts';
import { planDirectServer } from '../suite/parts.ts';

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(dirname(here));
const bundle = join(here, 'dist', 'index.cjs');

export interface Instance {
  readonly url: string;
  readonly pid: number | undefined;
  /** When its process was started, on the clock of `performance.now()`. */
  readonly startedAt: number;
  /** Settles when it listens; rejects when its process ends before. */
  readonly listens: Promise<void>;
  readonly ended: Promise<void>;
  end(): Promise<void>;
}

/** Bundles the function for the benchmark alone, so that no other build replaces it meanwhile. */
export async function buildBundle(): Promise<void> {
  await run([join(root, 'functions', 'build.ts'), dirname(bundle)]);
}

/**
 * Starts the built function as the suite's direct server runs it, in a process of its own.
 *
 * @param over takes the place of its variables: another way to Firestore, another provider
 * @param node options for Node itself
 */
export async function startFunction(
  over: Readonly<Record<string, string>> = {},
  node: readonly string[] = [],
): Promise<Instance> {
  const ports = readPorts(process.env);
  const secrets = readSecrets(join(root, '.secret.local'));
  const { command } = planDirectServer({
    root,
    folder: here,
    temporary: tmpdir(),
    ports,
    secrets,
    environment: process.env,
    variables: suiteVariables(ports, secrets),
    parameters: functionParameters(ports, secrets, process.env),
  });
  const port = await freePort();
  const args = [...node, command.args[0] ?? '', bundle, String(port)];
  const limits = {
    ...{ BILLING_RATE_PER_SECOND: '100000', BILLING_RATE_BURST: '100000' },
    ...{ BILLING_SERVICE_RATE_PER_SECOND: '100000', BILLING_SERVICE_RATE_BURST: '100000' },
  };
  return start(args, port, { ...command.env, ...limits, ...over });
}

export async function startHello(): Promise<Instance> {
  const port = await freePort();
  return start([join(here, 'express-hello.mjs'), String(port)], port, process.env);
}

function start(args: readonly string[], port: number, env: NodeJS.ProcessEnv): Instance {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let complaints = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaints = `${complaints}${chunk}`.slice(-2_000);
  });
  // Both servers say so when they listen: asking them again and again would take the processor from their start.
  const listens = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => chunk.includes(' on port ') && resolve());
    child.once('exit', (code) => reject(new Error(`${args[0]} ended with ${code}: ${complaints}`)));
  });
  listens.catch(() => {});
  return {
    url: `http://${HOST}:${port}`,
    pid: child.pid,
    startedAt,
    listens,
    ended,
    async end() {
      kill();
      process.off('exit', kill);
      await ended;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, HOST, listening));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function run(args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: join(root, 'functions'), stdio: 'inherit' });
    child.once('error', reject);
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`the build ended with ${code}`)),
    );
  });
}

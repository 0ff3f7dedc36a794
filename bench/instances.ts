import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { HOST, readPorts } from '../scripts/ports.ts';
import { planDirectServer } from '../scripts/suite/parts.ts';
import { functionParameters, readSecrets, suiteVariables } from '../scripts/suite/settings.ts';

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const bundle = join(here, 'dist', 'index.cjs');

export interface Instance {
  readonly url: string;
  readonly child: ChildProcess;
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
 */
export async function startFunction(over: Readonly<Record<string, string>> = {}): Promise<Instance> {
  const ports = readPorts(process.env);
  const secrets = readSecrets(join(root, '.secret.local'));
  const { command } = planDirectServer({
    root,
    folder: here,
    ports,
    secrets,
    environment: process.env,
    variables: suiteVariables(ports, secrets),
    parameters: functionParameters(ports, secrets, process.env),
  });
  const port = await freePort();
  const args = [command.args[0] ?? '', bundle, String(port)];
  const limits = { BILLING_RATE_PER_SECOND: '100000', BILLING_RATE_BURST: '100000' };
  return start(args, port, { ...command.env, ...limits, ...over });
}

export async function startHello(): Promise<Instance> {
  const port = await freePort();
  return start([join(here, 'servers', 'express-hello.mjs'), String(port)], port, process.env);
}

function start(args: readonly string[], port: number, env: NodeJS.ProcessEnv): Instance {
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: 'ignore' });
  process.once('exit', () => child.kill('SIGKILL'));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    url: `http://${HOST}:${port}`,
    child,
    async end() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Waits until an instance answers anything. @throws Error when it does not within 30 s */
export async function untilAnswers({ url, child }: Instance, path = '/'): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (performance.now() < deadline && child.exitCode === null) {
    try {
      await (await fetch(url + path)).text();
      return;
    } catch {
      await sleep(2);
    }
  }
  throw new Error(`${url} did not come up`);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, HOST, () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
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

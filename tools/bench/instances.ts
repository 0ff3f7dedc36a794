import { spawn } from 'node:child_process';
import { once } from 'node:events';
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

/** A process of the benchmark: an instance of the function, or the proxy to Firestore. */
export interface Process {
  /** What it printed when it was ready. */
  readonly ready: string;
  end(): void;
}

export interface Instance extends Process {
  readonly url: string;
}

/** The heap limit that V8 chooses in a container of 512 MiB, the function's default size. */
const HEAP = '--max-heap-size=259';

/** Rate limits are for real users; the load comes from one address. */
const NO_RATE_LIMITS = {
  BILLING_RATE_PER_SECOND: '100000',
  BILLING_RATE_BURST: '100000',
};

/** Bundles the function for the benchmark alone, so that no other build replaces it during the run. */
export async function buildBundle(): Promise<void> {
  const build = [join(root, 'functions', 'build.ts'), dirname(bundle)];
  const child = spawn(process.execPath, build, { cwd: join(root, 'functions'), stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the build ended with ${code}`);
}

/**
 * Starts the bundled function in a process of its own, in the server that Cloud Run starts.
 *
 * @param firestore `host:port` of Firestore
 */
export async function startInstance(firestore: string): Promise<Instance> {
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
  const environment = { ...command.env, ...NO_RATE_LIMITS, FIRESTORE_EMULATOR_HOST: firestore };
  const started = await start([HEAP, command.args[0] ?? '', bundle, String(port)], environment, ' on port ');
  return { ...started, url: `http://${HOST}:${port}` };
}

/** Starts a proxy that delays each call to Firestore. Its `ready` is the `host:port` for a client. */
export function startDistance(milliseconds: number): Promise<Process> {
  return start([join(here, 'distance.ts'), String(milliseconds)], process.env, ':');
}

/** Starts a process and waits until a line that it prints contains `sign`. */
async function start(args: readonly string[], env: NodeJS.ProcessEnv, sign: string): Promise<Process> {
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = `${errors}${chunk}`.slice(-2_000);
  });
  const ready = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => chunk.includes(sign) && resolve(String(chunk).trim()));
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}: ${errors}`)));
  });
  return { ready, end };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, HOST);
  await once(server, 'listening');
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

import { createServer } from 'node:net';

/** Every port that the local suite listens on. Each has a variable that moves it; all bind to 127.0.0.1. */

export const HOST = '127.0.0.1';

/** From 1024 on, ports that browsers and Node's fetch refuse to ask (https://fetch.spec.whatwg.org/#bad-port). */
const BLOCKED = new Set([
  ...[1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566],
  ...[6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080],
]);

const PORT_TABLE = {
  auth: { variable: 'BILLING_AUTH_PORT', fallback: 9099, what: 'auth emulator' },
  functions: { variable: 'BILLING_FUNCTIONS_PORT', fallback: 5001, what: 'function' },
  firestore: { variable: 'BILLING_FIRESTORE_PORT', fallback: 8080, what: 'Firestore emulator' },
  simulator: { variable: 'BILLING_SIMULATOR_PORT', fallback: 4242, what: 'provider simulator' },
  direct: { variable: 'BILLING_DIRECT_PORT', fallback: 5055, what: 'direct server' },
  returnPages: { variable: 'BILLING_RETURN_PORT', fallback: 5056, what: 'return pages' },
  hub: { variable: 'BILLING_HUB_PORT', fallback: 4400, what: 'emulator hub' },
  logging: { variable: 'BILLING_LOGGING_PORT', fallback: 4500, what: 'emulator logging' },
} as const;

type PortName = keyof typeof PORT_TABLE;
export type Ports = Readonly<Record<PortName, number>>;
export type Environment = Readonly<Record<string, string | undefined>>;

export const PORT_NAMES = Object.keys(PORT_TABLE) as readonly PortName[];

/** The variable that moves a port and what listens on it, for messages. */
export function describePort(name: PortName): { readonly variable: string; readonly what: string } {
  return PORT_TABLE[name];
}

/**
 * Reads the ports from the environment: each `BILLING_<PART>_PORT`, else its default moved by
 * `BILLING_PORT_OFFSET` (default 0), so that one variable lets a second suite run beside the first. An offset that
 * leads to a port that browsers block takes the next one.
 *
 * @throws Error naming the variable if one isn't a port number (1–65535), is blocked, or two parts share a port
 */
export function readPorts(environment: Environment): Ports {
  const offset = readNumber(environment, 'BILLING_PORT_OFFSET', 0, 0, 50_000);
  const moved = new Set(PORT_NAMES.map((name) => PORT_TABLE[name].fallback + offset));
  const entries = PORT_NAMES.map((name) => {
    const { variable, fallback } = PORT_TABLE[name];
    const port = readNumber(environment, variable, nextAllowed(fallback + offset, moved), 1, 65_535);
    if (BLOCKED.has(port))
      throw new Error(`${variable} is ${port}, which browsers block. Choose another port.`);
    return [name, port] as const;
  });
  const ports = Object.fromEntries(entries) as Ports;
  refuseSharedPorts(ports);
  return ports;
}

/** @param moved what the parts ask for, and what was given instead */
function nextAllowed(wanted: number, moved: Set<number>): number {
  if (!BLOCKED.has(wanted)) return wanted;
  let port = wanted;
  while (BLOCKED.has(port) || moved.has(port)) port += 1;
  moved.add(port);
  return port;
}

function readNumber(
  environment: Environment,
  variable: string,
  fallback: number,
  least: number,
  most: number,
): number {
  const text = environment[variable];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most) {
    throw new Error(`${variable} must be a whole number from ${least} to ${most}, but it is "${text}".`);
  }
  return value;
}

function refuseSharedPorts(ports: Ports): void {
  const seen = new Map<number, PortName>();
  for (const name of PORT_NAMES) {
    const other = seen.get(ports[name]);
    if (other !== undefined) {
      const pair = `${PORT_TABLE[other].variable} and ${PORT_TABLE[name].variable}`;
      throw new Error(`${pair} are both ${ports[name]}. Give each its own port.`);
    }
    seen.set(ports[name], name);
  }
}

/**
 * Refuses to go on when a port that the suite needs is taken. Looks at all of them before anything starts.
 *
 * @throws Error naming every taken port, what wanted it, and the variable that moves it.
 */
export async function requireFreePorts(ports: Ports, needed: readonly PortName[]): Promise<void> {
  const checks = needed.map(async (name) => ((await isFree(ports[name])) ? [] : [name]));
  const taken = (await Promise.all(checks)).flat();
  if (taken.length === 0) return;
  const lines = taken.map((name) => {
    const { variable, what } = describePort(name);
    return `  port ${ports[name]} (${what}) is taken; set ${variable} to another one`;
  });
  throw new Error(
    [
      'The suite cannot start:',
      ...lines,
      'Perhaps another suite is running: end it, or set BILLING_PORT_OFFSET=1000 to move every port of this one.',
    ].join('\n'),
  );
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(new Error(`Port ${port} cannot be used: ${error.message}`));
    });
    probe.listen({ port, host: HOST, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

const OFFSETS = [0, 1000, 2000, 3000, 4000];

/**
 * Lets the tests run beside an `npm start`: where the environment moves no port and the usual ones are taken,
 * the first thousand further on where all are free.
 *
 * @returns the environment to run the tests in.
 * @throws Error naming the taken ports when none are free, or when the environment's own are taken.
 */
export async function withFreePorts(environment: Environment): Promise<Environment> {
  const chosen = Object.keys(environment).some((name) => /^BILLING_[A-Z]+_(PORT|OFFSET)$/.test(name));
  if (chosen) {
    await requireFreePorts(readPorts(environment), PORT_NAMES);
    return environment;
  }
  let refusal: unknown;
  for (const offset of OFFSETS) {
    const moved = { ...environment, BILLING_PORT_OFFSET: String(offset) };
    try {
      await requireFreePorts(readPorts(moved), PORT_NAMES);
      return moved;
    } catch (error) {
      refusal ??= error;
    }
  }
  throw refusal;
}

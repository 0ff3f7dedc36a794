import { createServer } from 'node:net';
import { describePort, HOST, type PortName, type Ports } from '../ports.ts';

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

import { type Environment, PORT_NAMES, readPorts } from '../ports.ts';
import { requireFreePorts } from '../suite/free-ports.ts';

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

import { join } from 'node:path';
import { createSimulator, type Simulator } from '@extension-billing/simulator';
import type { Stripe } from 'stripe';
import catalog from '../local/simulator-catalog.ts';
import { SIMULATOR_SECRETS } from '../local/suite.ts';
import { connect } from './connect.ts';

/** A simulator of a test's own, the SDK on it, and the requests that wrote something. */
export interface Bench {
  readonly simulator: Simulator;
  readonly stripe: Stripe;
  readonly writes: string[];
}

/**
 * @param account `empty` sells nothing yet; `seeded` has this project's catalogue
 * @param trafficFile where to keep what passes; by itself with the traffic of the whole test run
 */
export async function startBench(account: 'empty' | 'seeded', trafficFile?: string): Promise<Bench> {
  const writes: string[] = [];
  const { PROVIDER_TRAFFIC: traffic } = process.env;
  const simulator = await createSimulator({
    ...(account === 'seeded' && { catalog }),
    ...(traffic ? { trafficFile: join(traffic, `scripts-${process.pid}.jsonl`) } : {}),
    ...(trafficFile === undefined ? {} : { trafficFile }),
    onExchange: ({ method, path }) => {
      if (method !== 'GET') writes.push(`${method} ${path}`);
    },
  });
  const stripe = await connect({ key: SIMULATOR_SECRETS.PAYMENT_SECRET_KEY, base: simulator.url });
  return { simulator, stripe, writes };
}

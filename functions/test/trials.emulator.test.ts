import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PACK, PLAN } from '@extension-billing/contract/test/catalog';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOCAL_ENVIRONMENT } from './app/config.ts';
import { provider, servers } from './app/suite.ts';
import { aBuyer } from './fixtures/buyer.ts';
import { BUILT } from './fixtures/serve-bundle.ts';
import * as simulator from './fixtures/simulator.ts';

const stripe = provider();
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** A second process with the built function, beside the suite's own. */
let second: ChildProcess;
let bases: readonly string[];

beforeAll(async () => {
  const port = await freePort();
  second = spawn(
    process.execPath,
    [here('../../tools/suite/direct-server.mjs'), join(BUILT, 'index.cjs'), String(port)],
    {
      cwd: here('..'),
      stdio: 'ignore',
      env: {
        ...process.env,
        ...LOCAL_ENVIRONMENT,
        PAYMENT_API_BASE: process.env.PROVIDER_BASE_URL,
        FUNCTION_TARGET: 'api',
        FUNCTION_SIGNATURE_TYPE: 'http',
        METADATA_SERVER_DETECTION: 'none',
      },
    },
  );
  bases = [servers['direct server'], `http://127.0.0.1:${port}`];
  while ((await fetch(`${bases[1]}/credits/balance`).catch(() => null)) === null) {
    if (second.exitCode !== null) throw new Error(`the second process ended with ${second.exitCode}`);
    await sleep(50);
  }
});

afterAll(() => second.kill());

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return address !== null && typeof address === 'object' ? address.port : 0;
}

/** The subscriptions of a customer, with whether each had a trial. */
async function subscriptionsOf(customer: string): Promise<readonly { status: string; trial: boolean }[]> {
  const { data } = await stripe.subscriptions.list({ customer, status: 'all', limit: 100 });
  return data.map(({ status, trial_end }) => ({ status, trial: trial_end !== null }));
}

async function sessionsOf(customer: string) {
  return (await stripe.checkout.sessions.list({ customer, limit: 100 })).data;
}

describe('ten checkouts at once, in two processes', () => {
  it.each([
    ['of one plan', [PLAN.monthly]],
    ['of all plans', [PLAN.monthly, PLAN.yearly, PLAN.metered]],
  ])(
    '%s: one customer, one trial, one subscription, however many of the pages are paid',
    async (_of, keys) => {
      const user = await aBuyer();
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, i) => user.checkout(keys[i % keys.length] ?? '', bases[i % 2])),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
      const all = await stripe.customers.list({ limit: 100 });
      expect(all.data.filter(({ metadata }) => metadata.uid === user.uid)).toHaveLength(1);

      const pages = new Set(answers.map(({ body }) => String(body.sessionId)));
      const paid = await Promise.allSettled([...pages].map((page) => simulator.pay(page)));
      expect(paid.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      await simulator.delivered();
      expect(await subscriptionsOf(await user.customer())).toEqual([{ status: 'trialing', trial: true }]);
      expect(await user.record()).toMatchObject({ paid: true, status: 'trialing', trialUsed: true });
    },
  );

  it('of packs: one customer, ten pages', async () => {
    const user = await aBuyer();
    await Promise.all(Array.from({ length: 10 }, (_, i) => user.checkout(PACK.small, bases[i % 2])));
    const all = await stripe.customers.list({ limit: 100 });
    expect(all.data.filter(({ metadata }) => metadata.uid === user.uid)).toHaveLength(1);
    expect(await sessionsOf(await user.customer())).toHaveLength(10);
  });

  it('of the lifetime plan: one page that can be paid', async () => {
    const user = await aBuyer();
    await Promise.all(Array.from({ length: 10 }, (_, i) => user.checkout(PLAN.lifetime, bases[i % 2])));
    const open = (await sessionsOf(await user.customer())).filter(({ status }) => status === 'open');
    expect(open).toHaveLength(1);
  });
});

describe('the trial', () => {
  it('is not burnt by a checkout that is abandoned, whether its page runs out or is left open', async () => {
    const user = await aBuyer();
    const { body } = await user.checkout(PLAN.monthly);
    await stripe.checkout.sessions.expire(String(body.sessionId));
    await user.checkout(PLAN.yearly);
    await user.buy(PLAN.monthly);
    await simulator.delivered();
    expect(await subscriptionsOf(await user.customer())).toEqual([{ status: 'trialing', trial: true }]);
  });

  it('is not burnt by a card that is declined', async () => {
    const user = await aBuyer();
    await expect(user.buy(PLAN.monthly, '4000000000000002')).rejects.toThrow('declined');
    await user.buy(PLAN.monthly);
    expect(await subscriptionsOf(await user.customer())).toEqual([{ status: 'trialing', trial: true }]);
  });

  it('goes once to each user, also when it was cancelled at once', async () => {
    const user = await aBuyer();
    await user.buy(PLAN.monthly);
    await simulator.cancel(await user.subscription(), false);
    await simulator.delivered();
    await user.buy(PLAN.yearly);
    await simulator.delivered();
    expect(await subscriptionsOf(await user.customer())).toEqual([
      { status: 'active', trial: false },
      { status: 'canceled', trial: true },
    ]);
  });
});

describe('a user with a live subscription', () => {
  it('is sent to the portal, which opens', async () => {
    const user = await aBuyer();
    await user.buy(PLAN.monthly);
    await simulator.delivered();
    const { status, body } = await user.checkout(PLAN.yearly);
    expect([status, body.code]).toEqual([409, 'already_subscribed']);
    expect(body.detail).toContain('/billing/portal');
    const portal = await user.portal();
    expect((await fetch(String(portal.body.url))).status).toBe(200);
  });

  it('is refused a second one also while the first one’s events are on the way', async () => {
    const user = await aBuyer();
    await simulator.whileEventsAreHeld(async () => {
      await user.buy(PLAN.monthly);
      for (const lookupKey of [PLAN.yearly, PLAN.monthly])
        expect((await user.checkout(lookupKey)).body).toMatchObject({ code: 'already_subscribed' });
    });
    await simulator.delivered();
    expect(await subscriptionsOf(await user.customer())).toHaveLength(1);
  });
});

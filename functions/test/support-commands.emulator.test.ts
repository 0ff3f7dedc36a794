import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PACK, PLAN } from '@extension-billing/contract/test/catalog';
import { describe, expect, it } from 'vitest';
import { LOCAL_ENVIRONMENT } from './app/config.ts';
import { firestore } from './app/emulated-user.ts';
import { aBuyer } from './fixtures/buyer.ts';
import { BUILT } from './fixtures/serve-bundle.ts';
import * as simulator from './fixtures/simulator.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Runs a program as a person would, and answers what it printed and its exit status. */
async function run(args: readonly string[], env: Readonly<Record<string, string | undefined>> = {}) {
  const options = { cwd: root, env: { ...process.env, METADATA_SERVER_DETECTION: 'none', ...env } };
  return promisify(execFile)(process.execPath, [...args], options).then(
    ({ stdout }) => ({ status: 0, out: stdout }),
    ({ code, stdout, stderr }) => ({ status: Number(code), out: `${stdout}${stderr}` }),
  );
}

const customer = (...words: string[]) => run(['packages/cli/src/billing.ts', 'customer', ...words]);
const reconcile = (...words: string[]) => run(['packages/cli/src/billing.ts', 'reconcile', ...words]);

describe('npx billing customer', () => {
  it('shows record, ledger, facts and the provider’s view, and that they agree', async () => {
    const user = await aBuyer();
    await user.buy(PLAN.metered);
    await simulator.delivered();
    await user.consume('demo_deep');
    await user.reserve('demo_deep', 'job');
    const { status, out } = await customer(user.uid);
    expect(out).toMatch(/held +5 for demo_deep, until .+ \(job\)/);
    expect(out).toMatch(/reserve_job +0 +0 +995 +demo_deep, 5 held until/);
    expect(out).toMatch(/creditsRemaining +995/);
    expect(out).toMatch(/allowance of a new period +evt_\w+/);
    expect(out).toMatch(/-5 +0 +995 +demo_deep, granted +[0-9a-f-]{36}/);
    expect(out).toMatch(new RegExp(`subscription +${await user.subscription()} +trialing`));
    expect(out).toMatch(/Do they agree\?\n─+\nYes\./);
    expect(status).toBe(0);
  });

  it('shows what does not agree, with the command that repairs it', async () => {
    const user = await aBuyer();
    await simulator.whileEventsAreLost(() => user.buy(PACK.small));
    const { status, out } = await customer(user.uid);
    expect(out).toMatch(/purchase +pi_\w+ +not known +pack of 100, paid/);
    expect(out).toContain(`npx billing reconcile ${user.uid} --apply`);
    expect(status).toBe(1);
  });

  it('says what to type when no user is named', async () => {
    expect(await customer()).toEqual({ status: 2, out: expect.stringContaining('Usage: billing customer') });
  });
});

describe('npx billing reconcile', () => {
  it('shows one user’s differences without writing, writes them on demand, and then finds none', async () => {
    const user = await aBuyer();
    await simulator.whileEventsAreLost(() => user.buy(PACK.small));
    const dry = await reconcile(user.uid);
    expect(dry).toMatchObject({
      status: 1,
      out: expect.stringMatching(/not known +pack of 100, paid +write/),
    });
    expect(await user.record()).toBeUndefined();
    expect(await reconcile(user.uid, '--apply')).toMatchObject({ status: 0 });
    expect(await user.credits()).toEqual({ allowance: 0, packs: 100 });
    expect((await reconcile(user.uid)).out).toContain('Nothing differs.');
  });

  it('goes through all users and what was not delivered', async () => {
    const user = await aBuyer();
    await simulator.whileEventsAreLost(() => user.buy(PACK.small));
    const { out } = await reconcile();
    expect(out).toContain(user.uid);
    expect(out).toMatch(/[1-9]\d* events were not delivered/);
    expect(out).toMatch(/[1-9]\d* users compared/);
    await reconcile('--apply');
    expect(await user.credits()).toEqual({ allowance: 0, packs: 100 });
  });

  it('says how to start where no suite runs, and what a real project needs', async () => {
    const nowhere = await run(['packages/cli/src/billing.ts', 'reconcile'], {
      FIRESTORE_EMULATOR_HOST: '127.0.0.1:9',
    });
    expect(nowhere).toEqual({ status: 2, out: expect.stringContaining('npm start') });
    const { status, out } = await reconcile('--project', 'someone-elses');
    expect([status, out]).toEqual([2, expect.stringContaining('key of someone-elses in PAYMENT_SECRET_KEY')]);
  });
});

describe('the deployed daily function', () => {
  it('compares every user and logs one summary', async () => {
    const user = await aBuyer();
    await user.buy(PACK.small);
    await simulator.delivered();
    await firestore.doc('billing_jobs/reconcile').delete();
    const script = `require(${JSON.stringify(join(BUILT, 'index.cjs'))}).reconcileDaily.run({}).then(() => process.exit(0))`;
    const { status, out } = await run(['--eval', script], {
      ...LOCAL_ENVIRONMENT,
      PAYMENT_API_BASE: process.env.PROVIDER_BASE_URL,
      BILLING_PROVIDER_CALLS_PER_SECOND: '1000',
    });
    expect(status).toBe(0);
    const summary = JSON.parse(out.trim().split('\n').at(-1) ?? '');
    expect(summary).toMatchObject({ event: 'reconcile_summary', finished: true, failed: 0 });
    expect(summary.users).toBeGreaterThan(0);
  });
});

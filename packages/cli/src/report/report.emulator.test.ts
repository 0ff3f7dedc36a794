import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Figure } from '@extension-billing/contract/days';
import catalog, { PACK, PLAN } from '@extension-billing/contract/test/catalog';
import { DAY, dayOf } from '@extension-billing/contract/time';
import { expect, it, onTestFinished } from 'vitest';
import { log } from '../../../../functions/src/log.ts';
import type { ReportSource } from '../../../../functions/src/report/accounts.ts';
import { netOf, startOf } from '../../../../functions/src/report/figures.ts';
import { SUMMARIES, summarizeDays } from '../../../../functions/src/report/summarize.ts';
import { firestore } from '../../../../functions/test/app/emulated-user.ts';
import { aBuyer } from '../../../../functions/test/fixtures/buyer.ts';
import * as simulator from '../../../../functions/test/fixtures/simulator.ts';
import { type Report, readReport, type Walk } from './read-report.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

async function run(...args: string[]) {
  const options = { cwd: root, env: { ...process.env }, maxBuffer: 1e8 };
  return promisify(execFile)(
    process.execPath,
    ['packages/cli/src/billing.ts', 'report', ...args],
    options,
  ).then(
    ({ stdout }) => ({ status: 0, out: stdout }),
    ({ code, stderr }) => ({ status: Number(code), out: String(stderr) }),
  );
}

/** Of all days that there can be: other tests may have moved the provider's clock by years. */
async function report(): Promise<Report> {
  const read = await readReport(firestore, { from: 0, to: Date.now() + 40 * 365 * 86_400_000 }, Date.now());
  if (read === null) throw new Error('nobody stopped it');
  return read;
}

it('adds lives up: bought, renewed, spent, refunded, held; a lifetime plan, and one without credits', async () => {
  // Whoever is left there would renew with the clock, and be counted.
  await fetch(`${process.env.PROVIDER_BASE_URL}/_sim/reset`, { method: 'POST', body: '{}' });
  const before = await report();
  const buyer = await aBuyer();
  await buyer.buy(PLAN.metered);
  await simulator.delivered();
  await buyer.consume('demo_deep');
  await simulator.advance(8 * 24 * 60 * 60);
  await simulator.delivered();
  await buyer.buy(PACK.small);
  await simulator.delivered();
  const { paymentIntent } = await buyer.charge();
  await buyer.consume('demo');
  await buyer.reserve('demo_deep', 'job');
  await simulator.refund(paymentIntent);
  const owner = await aBuyer();
  await owner.buy(PLAN.lifetime);
  await simulator.delivered();
  await simulator.refund((await owner.charge()).paymentIntent, 5_000);
  const subscriber = await aBuyer();
  await subscriber.buy(PLAN.monthly);
  await simulator.delivered();

  const after = await report();
  const grown = (figure: Figure) => after.total[figure] - before.total[figure];
  // The trial's allowance, of which 5 were spent, and the first paid period's in its place.
  expect([grown('grantedAllowance'), grown('expired')]).toEqual([2_000, 995]);
  expect([grown('grantedPacks'), grown('packs'), grown('clawedBack')]).toEqual([100, 1, 100]);
  expect([grown('spent'), grown('spends'), grown('held')]).toEqual([6, 2, 5]);
  expect([grown('lifetimes'), grown('refunds')]).toEqual([1, 2]);
  // The first paid one of the metered plan. For the trials' own nothing was charged: they are no sales.
  expect(grown('invoices')).toBe(1);

  expect(await buyer.credits()).toEqual({ allowance: 999, packs: 0 });
  expect(netOf(after.total) - netOf(before.total)).toBe(999);
  expect(after.standing.allowance - before.standing.allowance).toBe(999);
  expect(after.standing.held - before.standing.held).toBe(5);
  expect(after.standing.available - before.standing.available).toBe(994);
  const active = ({ standing }: Report, plan: string) =>
    standing.plans.reduce((sum, one) => sum + (one.plan === plan ? one.customers : 0), 0);
  for (const plan of [PLAN.metered, PLAN.lifetime, PLAN.monthly]) {
    expect([plan, active(after, plan) - active(before, plan)]).toEqual([plan, 1]);
  }
});

it('says of days that the service has added up what their ledgers say, for one read a day', async () => {
  const today = Date.now();
  const range = { from: today - 20 * DAY, to: today + DAY };
  const fromLedgers = await readReport(firestore, range, today);
  onTestFinished(forgetDays);
  const tomorrow = startOf(dayOf(today)) + DAY + DAY / 24;
  const deps = { firestore, now: () => tomorrow, catalog: () => catalog, log };
  expect(await summarizeDays(deps)).toMatchObject({ kind: 'summarized', days: 31, finished: true });
  expect(await summarizeDays(deps)).toEqual({ kind: 'nothing' });

  const nothingElse = { accounts: () => Promise.reject(new Error('no account is read')) };
  const source = nothingElse as unknown as ReportSource;
  const before = { from: range.from, to: startOf(dayOf(today)) + DAY };
  const added = await readReport(firestore, before, tomorrow, { live: false, source });
  expect(added?.days).toEqual(fromLedgers?.days.slice(0, -1));
  expect(added?.total.spends).toBeGreaterThan(0);
  expect(added?.features).toEqual(fromLedgers?.features);
  expect(added?.standing.customers).toBe(fromLedgers?.standing.customers);
  expect(added?.asOf).toBe(tomorrow);
  const withToday = await readReport(firestore, range, tomorrow, { live: false, source });
  expect(withToday?.read).toEqual({ summarized: 21, live: [], leftOut: [dayOf(tomorrow)] });

  // A day that is missing is read from the ledgers, with what is not over.
  await firestore.doc(`billing_days/${dayOf(today)}`).delete();
  const stopping = new AbortController();
  const walks: Walk[] = [];
  const onPage = (walk: Walk): void => {
    walks.push(walk);
    stopping.abort();
  };
  expect(
    await readReport(firestore, range, tomorrow, { live: false, onPage, stop: stopping.signal }),
  ).toBeNull();
  const mended = await readReport(firestore, range, tomorrow, { live: false, from: walks[0] ?? null });
  expect(walks).toHaveLength(1);
  expect(mended?.read).toEqual({ summarized: 20, live: [dayOf(today), dayOf(tomorrow)], leftOut: [] });
  expect(mended?.days).toEqual(fromLedgers?.days);
  expect(mended?.standing.customers).toBe(fromLedgers?.standing.customers);
});

async function forgetDays(): Promise<void> {
  const days = await firestore.collection('billing_days').listDocuments();
  const jobs = [firestore.doc(`billing_jobs/${SUMMARIES.name}`)];
  await Promise.all([...days, ...jobs].map((ref) => ref.delete()));
}

it('writes JSON and a page, and names no user', async () => {
  const buyer = await aBuyer();
  await buyer.buy(PACK.small);
  await simulator.delivered();
  const folder = mkdtempSync(join(tmpdir(), 'report-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'report.html');
  const { status, out } = await run('--html', file, '--json');
  expect(status).toBe(0);
  const { days, total, project } = JSON.parse(out);
  expect(days).toHaveLength(31);
  expect(total.grantedPacks).toBeGreaterThanOrEqual(100);
  const page = readFileSync(file, 'utf8');
  expect(page).toContain('Sales by day');
  expect(page).toContain(project);
  expect(`${out}${page}`).not.toContain(buyer.uid);
});

it('says what is wrong with what was typed', async () => {
  const answer = await run('--from', 'yesterday');
  expect(answer).toEqual({ status: 2, out: expect.stringContaining('--from: must be a day') });
});

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { parseUsageRange } from '../../functions/src/domain/usage.ts';
import { firestore } from '../../functions/test/app/emulated-user.ts';
import { aBuyer } from '../../functions/test/fixtures/buyer.ts';
import * as simulator from '../../functions/test/fixtures/simulator.ts';
import { type Figure, netOf } from './day-figures.ts';
import { readReport } from './read-report.ts';
import type { Report } from './reduce-report.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

async function run(...words: string[]) {
  const options = { cwd: root, env: { ...process.env }, maxBuffer: 1e8 };
  return promisify(execFile)(process.execPath, ['scripts/report.ts', ...words], options).then(
    ({ stdout }) => ({ status: 0, out: stdout }),
    ({ code, stderr }) => ({ status: Number(code), out: String(stderr) }),
  );
}

async function report(): Promise<Report> {
  const range = parseUsageRange(undefined, undefined, Date.now());
  if (typeof range === 'string') throw new Error(range);
  return readReport(firestore, range, Date.now());
}

it('adds a life up: bought, renewed, spent, refunded, held', async () => {
  // Whoever is left there would renew with the clock, and be counted.
  await simulator.reset();
  const before = await report();
  const buyer = await aBuyer();
  await buyer.buy('premium_metered_monthly');
  await simulator.delivered();
  await buyer.consume('demo_deep');
  await simulator.advance(8 * 24 * 60 * 60);
  await simulator.delivered();
  await buyer.buy('credits_pack_small');
  await simulator.delivered();
  const { paymentIntent } = await buyer.charge();
  await buyer.consume('demo');
  await buyer.reserve('demo_deep', 'job');
  await simulator.refund(paymentIntent);
  await simulator.delivered();

  const after = await report();
  const grown = (figure: Figure) => after.total[figure] - before.total[figure];
  // The trial's allowance, of which 5 were spent, and the first paid period's in its place.
  expect([grown('grantedAllowance'), grown('expired')]).toEqual([2_000, 995]);
  expect([grown('grantedPacks'), grown('packs'), grown('clawedBack')]).toEqual([100, 1, 100]);
  expect([grown('spent'), grown('spends'), grown('held')]).toEqual([6, 2, 5]);
  expect(await buyer.credits()).toEqual({ allowance: 999, packs: 0 });
  expect(netOf(after.total) - netOf(before.total)).toBe(999);
  expect(after.standing.allowance - before.standing.allowance).toBe(999);
  expect(after.standing.held - before.standing.held).toBe(5);
  expect(after.standing.available - before.standing.available).toBe(994);
  const active = ({ standing }: Report) =>
    standing.plans.find(({ plan, state }) => plan === 'premium_metered_monthly' && state === 'active')
      ?.customers ?? 0;
  expect(active(after) - active(before)).toBe(1);
});

it('counts lifetime plans, their refunds and paid invoices, on the provider’s days', async () => {
  // Other tests may have moved the provider's clock by years.
  const whole = async () => {
    const range = { from: Date.now() - 86_400_000, to: Date.now() + 40 * 365 * 86_400_000 };
    return (await readReport(firestore, range, Date.now())).total;
  };
  const before = await whole();
  const buyer = await aBuyer();
  await buyer.buy('premium_lifetime');
  await simulator.delivered();
  await simulator.refund((await buyer.charge()).paymentIntent, 5_000);
  const subscriber = await aBuyer();
  await subscriber.buy('premium_monthly');
  await simulator.delivered();
  const after = await whole();
  const grown = (figure: Figure) => after[figure] - before[figure];
  expect(['lifetimes', 'refunds', 'refundedAmount'].map((figure) => grown(figure as Figure))).toEqual([
    1, 1, 5_000,
  ]);
  expect(grown('invoices')).toBeGreaterThanOrEqual(1);
});

it('prints tables, JSON and a page, and names no user', async () => {
  const buyer = await aBuyer();
  await buyer.buy('credits_pack_small');
  await simulator.delivered();
  const folder = mkdtempSync(join(tmpdir(), 'report-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'report.html');
  const { status, out } = await run('--html', file);
  expect(status).toBe(0);
  expect(out).toMatch(/Credits by day \(UTC\)\n─+\nday +allowance +packs/);
  const page = readFileSync(file, 'utf8');
  expect(page).toContain('Sales by day');
  expect(`${out}${page}`).not.toContain(buyer.uid);
  const json = JSON.parse((await run('--json', '--from', '2026-01-01', '--to', '2026-01-02')).out);
  expect(json.days.map(({ day }: { day: string }) => day)).toEqual(['2026-01-01', '2026-01-02']);
});

it('says what is wrong with what was typed', async () => {
  expect(await run('--from', 'yesterday')).toEqual({
    status: 2,
    out: expect.stringContaining('--from: must be a day'),
  });
  expect(await run('--frm', '2026-01-01')).toEqual({
    status: 2,
    out: expect.stringContaining('usage: npm run report'),
  });
});

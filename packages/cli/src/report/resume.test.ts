import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NOBODY } from '@extension-billing/contract/days';
import catalog from '@extension-billing/contract/test/catalog';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { DaySums } from '../../../../functions/src/report/day-sums.ts';
import { report } from './report.ts';

vi.mock('../support/connect.ts', () => ({
  connectBooks: async () => ({ firestore: A_DATABASE, name: 'my-shop-1', catalog }),
}));
vi.mock('./read-report.ts', async (load) => {
  const real = await load<typeof import('./read-report.ts')>();
  const readReport: typeof real.readReport = async (_firestore, range, _now, { from, onPage } = A_RUN) => {
    begunAt.push(from?.begunAt ?? null);
    onPage?.({ part: 'over', after: null, accounts: 1, standing: NOBODY, days: [], begunAt: 5 });
    const read = { summarized: 0, live: [], leftOut: [] };
    return real.reportOf(range, new DaySums(), { standing: NOBODY, asOf: 5, read });
  };
  return { ...real, readReport };
});

const A_DATABASE = { collection: () => ({ count: () => ({ get: () => new Promise(() => {}) }) }) };
const A_RUN = { live: true };
const begunAt: (number | null)[] = [];

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

it('what was read is not lost where its page cannot be written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'report-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  vi.stubEnv('XDG_CACHE_HOME', folder);
  vi.spyOn(console, 'log').mockImplementation(() => {});
  const html = join(folder, 'not', 'there.html');
  const asked = {
    ...{ range: { from: 0, to: 1 }, from: undefined, to: undefined, now: 5, live: false },
    ...{ html, asJson: false, project: 'my-shop-1' },
  };
  await expect(report({ ...asked, resume: false })).rejects.toThrow('ENOENT');
  mkdirSync(join(folder, 'not'));
  expect(await report({ ...asked, resume: true })).toBe(0);
  expect(existsSync(html)).toBe(true);
  expect(begunAt).toEqual([null, 5]);
});

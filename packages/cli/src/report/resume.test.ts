import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NOBODY } from '@extension-billing/contract/days';
import catalog from '@extension-billing/contract/test/catalog';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { DaySums } from '../../../../functions/src/report/day-sums.ts';
import { Refusal } from '../local/refusal.ts';
import { report } from './report.ts';

vi.mock('../support/connect.ts', () => ({
  connectBooks: async () => ({ firestore: A_DATABASE, name: 'my-shop-1', store: at, catalog }),
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
let at = 'my-shop-1';
const begunAt: (number | null)[] = [];
const ASKED = {
  ...{ range: { from: 0, to: 1 }, from: undefined, to: undefined },
  ...{ now: 5, live: false, asJson: false },
};

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'report-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

it('what was read is not lost where its page cannot be written', async () => {
  const folder = aFolder();
  vi.stubEnv('XDG_CACHE_HOME', folder);
  vi.spyOn(console, 'log').mockImplementation(() => {});
  const html = join(folder, 'not', 'there.html');
  const asked = { ...ASKED, html, project: 'my-shop-1' };
  await expect(report({ ...asked, resume: false })).rejects.toThrow('ENOENT');
  mkdirSync(join(folder, 'not'));
  expect(await report({ ...asked, resume: true })).toBe(0);
  expect(existsSync(html)).toBe(true);
  expect(begunAt).toEqual([null, 5]);
});

it('a run on another suite of this machine is not gone on with', async () => {
  vi.stubEnv('XDG_CACHE_HOME', aFolder());
  const asked = { ...ASKED, html: '/not/there.html', project: undefined };
  at = 'demo at 127.0.0.1:8080';
  await expect(report({ ...asked, resume: false })).rejects.toThrow('ENOENT');
  at = 'demo at 127.0.0.1:9080';
  await expect(report({ ...asked, resume: true })).rejects.toThrow(Refusal);
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testCatalog } from '@extension-billing/contract/test/catalog';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import type { CheckDeps } from '../../../../functions/src/reconcile/user.ts';
import { aConfig } from '../../../../functions/test/app/config.ts';
import { keptLog } from '../../../../functions/test/app/serve-app.ts';
import { Refusal } from '../local/refusal.ts';
import { STOPPED } from '../support/resume.ts';
import { reconcileAll } from './reconcile.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** A store of 250 accounts that nobody bought with, and which pages of them are asked for. */
function aStore(onPage: (after: string | null) => void) {
  const accounts = Array.from({ length: 250 }, (_, n) => `user-${String(n).padStart(3, '0')}`);
  const query = (ids: readonly string[], after: string | null) => ({
    orderBy: () => query(ids, after),
    limit: () => query(ids, after),
    startAfter: (cursor: string) => query(ids, cursor),
    count: () => ({ get: async () => ({ data: () => ({ count: ids.length }) }) }),
    get: async () => {
      if (ids.length > 0) onPage(after);
      const rest = ids.filter((id) => after === null || id > after).slice(0, 100);
      return { docs: rest.map((id) => ({ id, data: () => ({}), get: () => undefined })) };
    },
  });
  const empty = async () => ({ data: [], has_more: false });
  const listed = vi.fn(empty);
  const clock = { now: Date.now() };
  const deps = {
    firestore: { collection: (name: string) => query(name === 'customers' ? accounts : [], null) },
    auth: { getUsers: async () => ({ users: [], notFound: [] }) },
    stripe: async () => ({ events: { list: empty }, subscriptions: { list: listed } }),
    ...{ now: () => clock.now, log: keptLog(), config: aConfig(), catalog: () => testCatalog },
  } as unknown as CheckDeps;
  return { deps, listed, clock };
}

function aTerminal(): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'reconcile-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  vi.stubEnv('XDG_CACHE_HOME', folder);
  const said: string[] = [];
  for (const of of ['log', 'error'] as const) {
    vi.spyOn(console, of).mockImplementation((line) => {
      said.push(String(line));
    });
  }
  return said;
}

const ASKED = { apply: false, rebuild: false, project: undefined, store: 'demo at 127.0.0.1:8080' };

it('what the provider refused for a moment is no failure of the run that goes on', async () => {
  const said = aTerminal();
  const { deps, listed } = aStore(() => {});
  listed.mockRejectedValueOnce(new Error('too many requests'));
  expect(await reconcileAll(deps, { ...ASKED, resume: false })).toBe(2);
  expect(said.at(-1)).toContain('npx billing reconcile --resume');
  expect(await reconcileAll(deps, { ...ASKED, resume: true })).toBe(0);
  expect(listed).toHaveBeenCalledTimes(2);
  expect(said.join('\n')).toContain('0 differ, 0 could not be compared');
});

it('goes on after Ctrl-C with the page after the last one, and says how', async () => {
  const said = aTerminal();
  const pages: (string | null)[] = [];
  const { deps, listed, clock } = aStore((after) => {
    pages.push(after);
    if (pages.length === 2) process.emit('SIGINT');
  });
  // Before the first page.
  const stopped = reconcileAll(deps, { ...ASKED, resume: false });
  process.emit('SIGINT');
  expect(await stopped).toBe(STOPPED);
  expect(pages).toEqual([]);
  expect(await reconcileAll(deps, { ...ASKED, resume: true })).toBe(STOPPED);
  expect(said.at(-1)).toContain('npx billing reconcile --resume');
  expect(pages).toEqual([null, 'user-099']);
  // Another suite of this machine has the same project.
  const elsewhere = { ...ASKED, store: 'demo at 127.0.0.1:9080' };
  await expect(reconcileAll(deps, { ...elsewhere, resume: true })).rejects.toThrow(Refusal);
  // Days later what was done stays done: nothing is counted twice.
  clock.now += 3 * 24 * 60 * 60 * 1000;
  expect(await reconcileAll(deps, { ...ASKED, resume: true })).toBe(0);
  expect(pages).toEqual([null, 'user-099', 'user-199']);
  expect(listed).toHaveBeenCalledOnce();
  expect(said.join('\n')).toContain('250 accounts in the store; 0 differ');
  await expect(reconcileAll(deps, { ...ASKED, resume: true })).rejects.toThrow(Refusal);
});

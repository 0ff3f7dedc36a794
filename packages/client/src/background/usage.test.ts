import type { UsageResponse } from '@extension-billing/contract/usage';
import { expect, it } from 'vitest';
import type { Api, ApiAnswer, ApiQuery } from './api.ts';
import { createUsage } from './usage.ts';

function usageThat(answer: ApiAnswer<UsageResponse>, uid: string | null = 'ada') {
  const paths: string[] = [];
  const api: Pick<Api, 'get'> = {
    async get<Body>({ path }: ApiQuery) {
      paths.push(path);
      return answer as ApiAnswer<Body>;
    },
  };
  return { usage: createUsage({ api, uid: async () => uid }), paths };
}
const problem = (status: number): ApiAnswer<UsageResponse> => ({
  kind: 'problem',
  retryAfterMs: null,
  problem: { type: 'about:blank', title: '', status, code: 'invalid_request', detail: '' },
});

const PAGE: UsageResponse = {
  entries: [],
  totals: [{ day: '2026-11-20', feature: 'demo', credits: 3, count: 3 }],
  next: 'next-page',
};

it('answers one page, and asks for the next by its cursor', async () => {
  const { usage, paths } = usageThat({ kind: 'answered', body: PAGE });
  expect(await usage({ from: '2026-11-01', to: '2026-11-20' })).toEqual({ ok: true, ...PAGE });
  await usage({ from: '2026-11-01', to: '2026-11-20T12:00:00+01:00', cursor: 'next-page' });
  expect(paths).toEqual([
    '/credits/usage?from=2026-11-01&to=2026-11-20&limit=500',
    '/credits/usage?from=2026-11-01&to=2026-11-20T12%3A00%3A00%2B01%3A00&limit=500&cursor=next-page',
  ]);
});

it.each<[string, ApiAnswer<UsageResponse>]>([
  ['offline', { kind: 'unreachable' }],
  ['unavailable', { kind: 'timeout' }],
  ['signed_out', { kind: 'signed_out' }],
  ['account_changed', { kind: 'account_changed' }],
  ['unavailable', problem(503)],
  ['invalid', problem(400)],
])('says %s after %j', async (reason, answer) => {
  const { usage } = usageThat(answer);
  expect(await usage({ from: '2026-11-01', to: '2026-11-20' })).toEqual({ ok: false, reason });
});

it('asks nothing while nobody is signed in', async () => {
  const { usage, paths } = usageThat({ kind: 'answered', body: PAGE }, null);
  expect(await usage({ from: '2026-11-01', to: '2026-11-20' })).toEqual({ ok: false, reason: 'signed_out' });
  expect(paths).toEqual([]);
});

it.each([{}, { entries: [] }, { entries: 7, totals: [] }, 'a page of a captive portal', 7, true])(
  'says unavailable where %j is answered, which is no page of usage',
  async (body) => {
    const { usage } = usageThat({ kind: 'answered', body: body as unknown as UsageResponse });
    expect(await usage({ from: '2026-11-01', to: '2026-11-20' })).toEqual({
      ok: false,
      reason: 'unavailable',
    });
  },
);

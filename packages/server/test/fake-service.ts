import { type Billing, type BillingOptions, createBilling } from '../src/exports/http.ts';

/** What stands for one answer: a body with 200, a problem, a whole response, or a connection that is lost. */
type Scene = object | Response | 'lost' | 'never';

export interface Asked {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: unknown;
  readonly redirect: string | undefined;
}

/** A service that gives one answer after the other, the last of them for ever, and keeps what it was asked. */
export function fakeService(...scenes: readonly Scene[]) {
  const asked: Asked[] = [];
  const fetch = async (url: unknown, init: RequestInit = {}): Promise<Response> => {
    const scene = scenes[Math.min(asked.length, scenes.length - 1)] ?? {};
    asked.push({
      url: String(url),
      method: init.method ?? 'GET',
      headers: new Headers(init.headers),
      body: typeof init.body === 'string' ? JSON.parse(init.body) : null,
      redirect: init.redirect,
    });
    if (scene === 'lost') throw new TypeError('fetch failed');
    if (scene === 'never') {
      await new Promise((_, reject) =>
        init.signal?.addEventListener('abort', () => reject(init.signal?.reason)),
      );
    }
    return scene instanceof Response ? scene.clone() : Response.json(scene);
  };
  const billing = (options: Partial<BillingOptions> = {}): Billing =>
    createBilling({ url: 'https://billing.test/api', key: KEY, fetch, ...options } as BillingOptions);
  return { asked, fetch, billing };
}

export const KEY = 'ebk_abc_secret';

/** A refusal of the service. */
export function problem(
  code: string,
  status: number,
  more: object = {},
  headers: Readonly<Record<string, string>> = {},
): Response {
  const body = {
    type: `urn:extension-billing:problem:${code}`,
    title: 'No',
    status,
    code,
    detail: 'So it is.',
  };
  return Response.json({ ...body, ...more }, { status, headers });
}

const balances = { balance: 9, allowance: 4, packCredits: 5, updatedAt: 1 };
export const consumed = { ok: true, ...balances, cost: 1, replayed: false };
export const held = { ...consumed, cost: 5, reservation: 'job', expiresAt: 2_000_000_000_000 };
export const ended = { ...consumed, cost: 5, shortfall: 0 };

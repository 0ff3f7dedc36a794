import type { Problem } from '@extension-billing/contract/problems';
import { PLAN } from '@extension-billing/contract/test/catalog';
import { expect, it, vi } from 'vitest';
import type { Api, ApiAnswer, ApiRequest } from './api.ts';
import { createOpenPage } from './open-page.ts';

function pagesWith(
  answer: ApiAnswer<{ url: string | null }>,
  underWay = Promise.resolve(),
  onOpening?: () => Promise<void>,
  openTab?: () => Promise<void>,
) {
  const signedIn: { uid: string | null } = { uid: 'ada' };
  const requests: ApiRequest[] = [];
  const happened: string[] = [];
  const api: Pick<Api, 'post'> = {
    async post<Body>(request: ApiRequest) {
      requests.push(request);
      await underWay;
      return answer as ApiAnswer<Body>;
    },
  };
  const pages = createOpenPage({
    api,
    uid: async () => signedIn.uid,
    openTab: openTab ?? (async (url) => void happened.push(url)),
    onOpening: onOpening ?? (async (lookupKey) => void happened.push(`watch ${lookupKey}`)),
    onNotOpened: async () => void happened.push('not opened'),
  });
  return { pages, requests, happened, signedIn };
}
const answered = (url: string | null) => ({ kind: 'answered', body: { url } }) as const;

it('sends the lookup key and nothing else, and opens the hosted page in a tab', async () => {
  const { pages, requests, happened } = pagesWith(answered('https://checkout.example/c/1'));
  expect(await pages.checkout(PLAN.monthly)).toEqual({ ok: true });
  expect(requests[0]).toMatchObject({ path: '/billing/checkout', body: { lookup_key: PLAN.monthly } });
  // The watch comes first: the worker may die as soon as the tab has the focus.
  expect(happened).toEqual([`watch ${PLAN.monthly}`, 'https://checkout.example/c/1']);
});

it('opens no tab where a planned change was only taken back, and looks for what it brings', async () => {
  const { pages, requests, happened } = pagesWith(answered(null));
  expect(await pages.change(PLAN.metered)).toEqual({ ok: true });
  expect(requests[0]).toMatchObject({ path: '/billing/change', body: { lookup_key: PLAN.metered } });
  expect(happened).toEqual(['watch null']);
});

it('opens one page for a double click, and another for a later one', async () => {
  const { pages, requests } = pagesWith(answered('https://checkout.example/c/1'));
  await Promise.all([pages.checkout(PLAN.monthly), pages.checkout(PLAN.monthly)]);
  expect(requests).toHaveLength(1);
  await pages.checkout(PLAN.monthly);
  expect(requests).toHaveLength(2);
});

it('opens no page of one account for whoever signed in while it was asked for', async () => {
  const asking = Promise.withResolvers<void>();
  const { pages, requests, happened, signedIn } = pagesWith(
    answered('https://portal.example/p/ada'),
    asking.promise,
  );
  const adas = [pages.portal(), pages.checkout(PLAN.monthly)];
  await vi.waitFor(() => expect(requests).toHaveLength(2));
  signedIn.uid = 'grace';
  const graces = pages.portal();
  asking.resolve();
  for (const result of await Promise.all(adas)) expect(result).toMatchObject({ code: 'account_changed' });
  expect(await graces).toEqual({ ok: true });
  expect(requests.map(({ uid }) => uid)).toEqual(['ada', 'ada', 'grace']);
  expect(happened).toHaveLength(2);
});

it('asks nothing while nobody is signed in', async () => {
  const { pages, requests, signedIn } = pagesWith(answered('https://portal.example/p/1'));
  signedIn.uid = null;
  expect(await pages.portal()).toMatchObject({ ok: false, code: 'unauthenticated' });
  expect(requests).toEqual([]);
});

it('opens the page also where nothing can look for the purchase', async () => {
  const { pages, happened } = pagesWith(answered('https://checkout.example/c/1'), undefined, () =>
    Promise.reject(new Error('quota exceeded')),
  );
  expect(await pages.checkout(PLAN.monthly)).toEqual({ ok: true });
  expect(happened).toEqual(['https://checkout.example/c/1']);
});

it('forgets a checkout whose tab doesn’t open, and none for the portal’s', async () => {
  const { pages, happened } = pagesWith(answered('https://hosted.example/1'), undefined, undefined, () =>
    Promise.reject(new Error('Tabs cannot be edited right now.')),
  );
  await expect(pages.portal()).rejects.toThrow('Tabs');
  expect(happened).toEqual(['watch null']);
  await expect(pages.checkout(PLAN.monthly)).rejects.toThrow('Tabs');
  expect(happened.slice(1)).toEqual([`watch ${PLAN.monthly}`, 'not opened']);
});

it('opens the portal', async () => {
  const { pages, requests } = pagesWith(answered('https://portal.example/p/1'));
  expect(await pages.portal()).toEqual({ ok: true });
  expect(requests[0]).toMatchObject({ path: '/billing/portal', body: {} });
});

it.each(['http://checkout.example/', 'javascript:alert(1)', 'file:///etc/passwd', 'nonsense'])(
  'does not open %s',
  async (url) => {
    const { pages, happened } = pagesWith(answered(url));
    expect(await pages.checkout(PLAN.monthly)).toMatchObject({ ok: false, code: 'internal' });
    expect(happened).toEqual([]);
  },
);

it('opens the simulator, which is on this machine', async () => {
  const { pages } = pagesWith(answered('http://127.0.0.1:4242/c/1'));
  expect(await pages.checkout(PLAN.monthly)).toEqual({ ok: true });
});

it('hands on why not by its code, in words for the user and not the server’s for developers', async () => {
  const detail = 'Call POST /billing/portal instead.';
  const problem = {
    type: 'about:blank',
    title: 'Conflict',
    status: 409,
    code: 'already_subscribed',
    detail,
  } as const;
  const { pages } = pagesWith({ kind: 'problem', problem, retryAfterMs: null });
  expect(await pages.checkout(PLAN.monthly)).toEqual({
    ok: false,
    code: 'already_subscribed',
    message: 'You already have a plan. Open billing to change or cancel it.',
  });
});

it('has a sentence for a code that it does not know', async () => {
  const problem = { type: 'about:blank', title: 'New', status: 418, code: 'brand_new', detail: '' };
  const { pages } = pagesWith({ kind: 'problem', problem: problem as Problem, retryAfterMs: null });
  expect(await pages.portal()).toMatchObject({
    code: 'brand_new',
    message: expect.stringContaining('Try again'),
  });
});

it.each([
  ['unreachable', 'offline'],
  ['timeout', 'temporarily_unavailable'],
  ['signed_out', 'unauthenticated'],
  ['account_changed', 'account_changed'],
] as const)('refuses with a code of its own when %s', async (kind, code) => {
  const { pages } = pagesWith({ kind });
  expect(await pages.portal()).toMatchObject({ ok: false, code, message: expect.any(String) });
});

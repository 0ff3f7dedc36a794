import { PLAN } from '@extension-billing/contract/test/catalog';
import { HOUR } from '@extension-billing/contract/time';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { fakeStorage } from '../../test/fake-storage-area.ts';
import { firestore } from '../../test/firestore-in-memory.ts';
import { A_PLAN, ADA, endWorkers, ID, instant, killWorker, start } from '../../test/worker-in-memory.ts';

vi.mock('firebase/auth/web-extension', async () => {
  const { sdkWithStorageInMemory } = await import('../../test/auth-in-memory.ts');
  return sdkWithStorageInMemory();
});
vi.mock('firebase/firestore', async () => (await import('../../test/firestore-in-memory.ts')).sdk);

const NOON = Date.UTC(2026, 10, 22, 12);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOON });
});
afterEach(async () => {
  vi.useRealTimers();
  await endWorkers();
});

/**
 * A browser whose worker dies between one event and the next, and the server, which has sold its user 100 credits.
 *
 * @param renewsAt when the running period ends, and the next begins; never, where it is left out
 */
function aBrowser(renewsAt = Number.POSITIVE_INFINITY) {
  const stored = { local: fakeStorage(), session: fakeStorage({}, 'session') };
  let balance = 100;
  const startWorker = () =>
    start(
      () => {
        owns(balance - 1);
        const rest = { cost: 1, replayed: false, updatedAt: Date.now(), packCredits: 0 };
        const page = { url: 'https://checkout.example/c/1', sessionId: 'cs_1' };
        return Response.json({ ok: true, balance, allowance: balance, ...rest, ...page });
      },
      { ...stored, renewed: 'ada' },
    );
  function owns(credits: number): void {
    balance = credits;
    const fields = { creditsRemaining: credits, creditsAllowance: credits, packCreditsRemaining: 0 };
    const currentPeriodEnd = instant(Date.now() < renewsAt ? Math.min(renewsAt, 9e12) : 9e12);
    firestore.change('ada', { ...A_PLAN, ...fields, currentPeriodEnd, updatedAt: instant(Date.now()) });
  }
  owns(100);
  firestore.change('current', { form: 1, version: 1, catalog: '{}' });

  /** What happens to a worker that has just started, until it has done all that follows of it. */
  async function wake(happens: (worker: ReturnType<typeof startWorker>) => unknown): Promise<void> {
    await killWorker();
    if (Date.now() >= renewsAt) owns(balance);
    const worker = startWorker();
    await happens(worker);
    await worker.billing.session();
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve));
  }
  const snapshot = () =>
    stored.local.peek('entitlements') as
      | { readonly credits: { readonly balance: number }; readonly currentPeriodEnd: number }
      | undefined;
  const shown = (): number | undefined => snapshot()?.credits.balance;
  return { wake, shown, endsAt: () => snapshot()?.currentPeriodEnd, owned: () => balance, owns, stored };
}
type Worker = ReturnType<typeof start>;

/** What starts the worker of a user who opens nothing. */
const WAKES: readonly ((worker: Worker) => unknown)[] = [
  ({ events }) => call(events.onStartup),
  ({ events }) => call(events.onInstalled, { reason: 'chrome_update' }),
  ({ events }) => call(events.onAlarm, { name: 'of-the-host' }),
  // A content script's: the host's own, and a hello that is refused.
  ({ events }) => call(events.onMessage, { type: 'translate' }, { id: ID, origin: 'https://a.example' }),
  ({ events }) =>
    call(events.onMessage, { type: 'billingHello' }, { id: ID, origin: 'https://a.example' }, () => {}),
  ({ billing }) => billing.consume({ feature: 'demo' }),
  // Of a page of the extension that nobody looks at, as an offscreen document is.
  ({ ask }) => ask('creditsConsume', { feature: 'demo' }),
];
const call = (event: { readonly listeners: ((...args: never[]) => unknown)[] }, ...args: unknown[]): void => {
  for (const listener of event.listeners) listener(...(args as never[]));
};

it('costs a user who opens nothing one read a day, however often the worker is woken', async () => {
  const { wake, shown, owned } = aBrowser();
  await wake(({ ask }) => ask('authSignIn', ADA));
  await vi.waitFor(() => expect(shown()).toBe(100));
  for (let day = 1; day <= 3; day++) {
    firestore.reads.length = 0;
    for (let hour = 0; hour < 24; hour++) {
      vi.setSystemTime(Date.now() + HOUR);
      const what = WAKES[(hour + day) % WAKES.length];
      if (what !== undefined) await wake(what);
      expect(shown()).toBe(owned());
    }
    // The record: what is published is for pages.
    expect(firestore.reads).toEqual(['ada']);
  }
  expect(owned()).toBeLessThan(90);
});

it('hears within the hour that a plan was renewed whose period has ended, and then not for a day', async () => {
  const { wake, shown, endsAt } = aBrowser(NOON + 6 * HOUR);
  await wake(({ ask }) => ask('authSignIn', ADA));
  await vi.waitFor(() => expect(shown()).toBe(100));
  firestore.reads.length = 0;
  for (let hour = 1; hour < 30; hour++) {
    vi.setSystemTime(Date.now() + HOUR);
    await wake(({ events }) => call(events.onStartup));
    expect(endsAt() === NOON + 6 * HOUR).toBe(hour < 6);
  }
  expect(firestore.reads).toEqual(['ada']);
});

it('reads no record for what an answer has said', async () => {
  const { wake, shown } = aBrowser();
  await wake(({ ask }) => ask('authSignIn', ADA));
  await vi.waitFor(() => expect(shown()).toBe(100));
  firestore.reads.length = 0;
  for (let time = 1; time <= 3; time++) {
    vi.setSystemTime(Date.now() + 1_000);
    await wake(({ billing }) => billing.consume({ feature: 'demo' }));
    expect(shown()).toBe(100 - time);
  }
  expect(firestore.reads).toEqual([]);
});

it('hears the server at once where somebody looks, and where the rest of the worker asks for it', async () => {
  const { wake, shown, owns } = aBrowser();
  await wake(({ ask }) => ask('authSignIn', ADA));
  await vi.waitFor(() => expect(shown()).toBe(100));
  await killWorker();
  vi.setSystemTime(Date.now() + 1_000);
  owns(200);
  await wake(({ ask }) => ask('billingHello', {}));
  await vi.waitFor(() => expect(shown()).toBe(200));
  vi.setSystemTime(Date.now() + 1_000);
  owns(201);
  await vi.waitFor(() => expect(shown()).toBe(201));

  await killWorker();
  vi.setSystemTime(Date.now() + 1_000);
  owns(300);
  await wake(({ events }) => call(events.onStartup));
  expect(shown()).toBe(201);
  await wake(async ({ billing }) => expect(await billing.refresh()).toBe(true));
  expect(shown()).toBe(300);
});

it('costs no more a day where the clock was wrong once, and has been set right', async () => {
  const { wake, shown } = aBrowser();
  vi.setSystemTime(NOON + 400 * 24 * HOUR);
  await wake(({ ask }) => ask('authSignIn', ADA));
  await vi.waitFor(() => expect(shown()).toBe(100));
  vi.setSystemTime(NOON);
  firestore.reads.length = 0;
  for (let hour = 0; hour < 12; hour++) {
    vi.setSystemTime(Date.now() + HOUR);
    await wake(({ events }) => call(events.onStartup));
  }
  expect(firestore.reads).toEqual(['ada']);
});

it('hears a worker’s daily word also where the extension keeps its worker alive for days', async () => {
  const { wake, shown, owns } = aBrowser();
  await wake(({ ask }) => ask('authSignIn', ADA));
  await vi.waitFor(() => expect(shown()).toBe(100));
  await wake(async ({ billing, events }) => {
    await billing.session();
    await new Promise((resolve) => setTimeout(resolve));
    vi.setSystemTime(Date.now() + 25 * HOUR);
    owns(300);
    call(events.onAlarm, { name: 'of-the-host' });
    await vi.waitFor(() => expect(shown()).toBe(300));
  });
});

it('hears the server after an update of the extension, whose snapshot may hold what the one before did not know of', async () => {
  const { wake, shown, stored } = aBrowser();
  await wake(({ ask }) => ask('authSignIn', ADA));
  await vi.waitFor(() => expect(shown()).toBe(100));
  const { credits: _, ...known } = stored.local.peek('entitlements') as { readonly credits: object };
  await stored.local.area.set({ entitlements: { ...known, credits: null } });
  await wake(({ events }) => call(events.onInstalled, { reason: 'update' }));
  await vi.waitFor(() => expect(shown()).toBe(100));
});

it('looks for what is bought beside content scripts until it comes, whatever came before on another device', async () => {
  const { wake, shown, owns, stored } = aBrowser();
  const ring = () => wake(({ events }) => call(events.onAlarm, { name: 'billing-purchase' }));
  const isLookedFor = (): boolean => stored.session.peek('billingPurchaseWatch') !== undefined;
  await wake(({ ask }) => ask('authSignIn', ADA));
  await vi.waitFor(() => expect(shown()).toBe(100));
  vi.setSystemTime(Date.now() + HOUR);
  // A checkout costs nothing; the service of this file takes a credit for every answer.
  owns(301);
  await wake(async ({ billing }) => expect(await billing.checkout(PLAN.monthly)).toEqual({ ok: true }));
  vi.setSystemTime(Date.now() + 60_000);
  await ring();
  await vi.waitFor(() => expect(shown()).toBe(300));
  expect(isLookedFor()).toBe(true);
  owns(400);
  await ring();
  await vi.waitFor(() => expect(isLookedFor()).toBe(false));
  expect(shown()).toBe(400);
});

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createTabs, type Served, type TabsDeps } from './one-of-tabs.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Grant = (lock: null) => Promise<void>;
interface Wish {
  readonly tab: number;
  readonly grant: Grant;
  readonly end: PromiseWithResolvers<void>;
}

/** One lock and one channel, as a browser gives them to the tabs of an origin. */
function aBrowser() {
  let holder: Wish | null = null;
  const queue: Wish[] = [];
  const tabs: { readonly hear: (data: unknown) => void; isThere: boolean }[] = [];

  function next(): void {
    holder = queue.shift() ?? null;
    if (holder === null) return;
    const mine = holder;
    const free = (): void => {
      mine.end.resolve();
      if (holder === mine) next();
    };
    void mine.grant(null).then(free);
  }
  function lose(wish: Wish): void {
    wish.end.reject(new DOMException('stolen', 'AbortError'));
    if (holder === wish) holder = null;
  }

  function open(serve: () => Promise<Served>) {
    const number = tabs.length;
    const isVisible = { now: true };
    const listeners: (() => void)[] = [];
    const opened: string[] = [];
    const channel: TabsDeps['channel'] = {
      onmessage: null,
      postMessage: (data: unknown) => {
        if (tabs[number]?.isThere !== true) return;
        for (const [index, tab] of tabs.entries()) if (index !== number) tab.hear(structuredClone(data));
      },
    };
    tabs.push({
      isThere: true,
      hear: (data) =>
        queueMicrotask(() => {
          if (tabs[number]?.isThere === true) channel.onmessage?.call(channel as never, { data } as never);
        }),
    });
    const locks = {
      request: (_name: string, options: LockOptions, grant: Grant) => {
        const wish: Wish = { tab: number, grant, end: Promise.withResolvers<void>() };
        options.signal?.addEventListener('abort', () => {
          const at = queue.indexOf(wish);
          if (at < 0) return;
          queue.splice(at, 1);
          wish.end.reject(new DOMException('withdrawn', 'AbortError'));
        });
        if (options.steal === true && holder !== null) lose(holder);
        if (options.steal === true) queue.unshift(wish);
        else queue.push(wish);
        queueMicrotask(() => holder ?? next());
        return wish.end.promise;
      },
    } as unknown as TabsDeps['locks'];
    const { ask, openIn } = createTabs({
      name: 'tabs',
      locks,
      channel,
      page: {
        isVisible: () => isVisible.now,
        onVisibility: (listener) => void listeners.push(listener),
        now: () => Date.now(),
      },
      serve,
      open: (url) => void opened.push(url),
    });
    const look = (visible: boolean): void => {
      isVisible.now = visible;
      for (const listener of listeners) listener();
    };
    return {
      ...{ ask, openIn, opened, look },
      /** It hears nothing more and keeps its lock, as a page that the browser has frozen. */
      freeze: () => Object.assign(tabs[number] ?? {}, { isThere: false }),
      close() {
        Object.assign(tabs[number] ?? {}, { isThere: false });
        if (holder?.tab !== number) return;
        holder = null;
        next();
      },
    };
  }
  return { open };
}

/** What a tab's background answers: its name, or nothing until it is let. */
function aService(name: string, work: Promise<unknown> = Promise.resolve()) {
  const ended = vi.fn();
  const started = vi.fn();
  const serve = async (): Promise<Served> => {
    started();
    return { answer: (message, tab) => work.then(() => ({ name, message, tab })), end: ended };
  };
  return { serve, started, ended };
}

it('has one tab serve all of them, itself too', async () => {
  const browser = aBrowser();
  const [first, second] = [aService('first'), aService('second')];
  const [a, b] = [browser.open(first.serve), browser.open(second.serve)];
  expect(await a.ask({ type: 'x' })).toMatchObject({ name: 'first', message: { type: 'x' } });
  expect(await b.ask({ type: 'y' })).toMatchObject({ name: 'first', message: { type: 'y' } });
  expect([first.started, second.started].map(({ mock }) => mock.calls.length)).toEqual([1, 0]);
});

it('hands over when the tab that serves is closed, and says so to who waited for its answer', async () => {
  const browser = aBrowser();
  const a = browser.open(aService('first', new Promise(() => {})).serve);
  const b = browser.open(aService('second').serve);
  await vi.advanceTimersByTimeAsync(10);
  const lost = b.ask({ type: 'x' }).catch((error: Error) => error.message);
  await vi.advanceTimersByTimeAsync(10);
  a.close();
  expect(await lost).toMatch(/closed before it answered/);
  expect(await b.ask({ type: 'x' })).toMatchObject({ name: 'second' });
});

it('takes the lead from a tab that the browser has frozen, which then ends what it served', async () => {
  const browser = aBrowser();
  const first = aService('first');
  const a = browser.open(first.serve);
  const b = browser.open(aService('second').serve);
  await vi.advanceTimersByTimeAsync(10);
  a.freeze();
  const answer = b.ask({ type: 'x' });
  await vi.advanceTimersByTimeAsync(2_100);
  expect(await answer).toMatchObject({ name: 'second' });
  expect(first.ended).toHaveBeenCalled();
});

it('does not take it from one that works on a long request', async () => {
  const browser = aBrowser();
  const work = Promise.withResolvers<void>();
  const first = aService('first', work.promise);
  browser.open(first.serve);
  const second = aService('second');
  const b = browser.open(second.serve);
  const answer = b.ask({ type: 'x' });
  await vi.advanceTimersByTimeAsync(20_000);
  work.resolve();
  expect(await answer).toMatchObject({ name: 'first' });
  expect(second.started).not.toHaveBeenCalled();
});

it('moves to the tab that somebody looks at once the other was hidden for long, when its work is done', async () => {
  const browser = aBrowser();
  const work = Promise.withResolvers<void>();
  const first = aService('first', work.promise);
  const a = browser.open(first.serve);
  await vi.advanceTimersByTimeAsync(10);
  a.look(false);
  const b = browser.open(aService('second').serve);
  const early = b.ask({ type: 'early' });
  await vi.advanceTimersByTimeAsync(61_000);
  b.look(true);
  await vi.advanceTimersByTimeAsync(10);
  expect(first.ended).not.toHaveBeenCalled();
  work.resolve();
  expect(await early).toMatchObject({ name: 'first' });
  await vi.advanceTimersByTimeAsync(10);
  expect(first.ended).toHaveBeenCalled();
  expect(await b.ask({ type: 'late' })).toMatchObject({ name: 'second' });
});

it('stays where it is for a glance at another tab', async () => {
  const browser = aBrowser();
  const first = aService('first');
  const a = browser.open(first.serve);
  await vi.advanceTimersByTimeAsync(10);
  a.look(false);
  const b = browser.open(aService('second').serve);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await b.ask({ type: 'x' })).toMatchObject({ name: 'first' });
});

it('refuses where its code cannot be loaded, and tries again at the next request only', async () => {
  const browser = aBrowser();
  const loads = vi.fn(async (): Promise<Served> => Promise.reject(new TypeError('no network')));
  const a = browser.open(loads);
  expect(await a.ask({ type: 'x' })).toMatchObject({ error: { code: 'internal' } });
  await vi.advanceTimersByTimeAsync(60_000);
  const before = loads.mock.calls.length;
  expect(before).toBeLessThan(4);
  loads.mockImplementation(aService('first').serve);
  expect(await a.ask({ type: 'x' })).toMatchObject({ name: 'first' });
});

it('opens a page in the tab that asked', async () => {
  const browser = aBrowser();
  const a = browser.open(async () => ({
    answer: async (_message, tab) => a.openIn(tab, 'https://pay.example'),
    end: () => {},
  }));
  const b = browser.open(aService('second').serve);
  await b.ask({ type: 'x' });
  await a.ask({ type: 'x' });
  await vi.advanceTimersByTimeAsync(10);
  expect([a.opened, b.opened]).toEqual([['https://pay.example'], ['https://pay.example']]);
});

import type { BrowserContext, Page } from 'playwright-core';

/** What a page of the extension had on the screen after one change of its document. */
export interface Render {
  /** A billing state, or what stands in its place. `blank` before anything is rendered. */
  readonly shows: string;
  /** The number on the meter; null without a meter. */
  readonly balance: number | null;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Records every render of every page that is opened from now on. */
export async function recordRendersIn(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const renders: Render[] = [];
    Object.assign(globalThis, { renders });
    const look = (): void => {
      const status = document.querySelector<HTMLElement>('[data-testid="plan-status"]');
      const isThere = (id: string): boolean => document.querySelector(`[data-testid="${id}"]`) !== null;
      const shows =
        status?.dataset.state ??
        (isThere('sign-in-email') ? 'sign_in' : isThere('loading') ? 'loading' : 'blank');
      const words = document.querySelector('[data-testid="balance-value"] .billing-amount')?.textContent;
      const balance = words == null ? null : Number(words.replaceAll(/\D/g, ''));
      const last = renders.at(-1);
      if (last?.shows === shows && last.balance === balance) return;
      renders.push({ shows, balance, at: Date.now() });
      globalThis.dispatchEvent(new Event('recorded-render'));
    };
    new MutationObserver(look).observe(document, {
      childList: true,
      subtree: true,
      attributes: true,
      characterData: true,
    });
  });
}

export function rendersOf(page: Page): Promise<Render[]> {
  return page.evaluate(() => (globalThis as unknown as { renders: Render[] }).renders);
}

/** Everything that was on the screen, each once, from the first thing on. */
export async function statesShown(page: Page): Promise<string[]> {
  const shown = (await rendersOf(page)).map(({ shows }) => shows).filter((shows) => shows !== 'blank');
  return [...new Set(shown)];
}

/** Forgets what was on the screen so far. */
export async function forgetRenders(page: Page): Promise<void> {
  await page.evaluate(() => (globalThis as unknown as { renders: Render[] }).renders.splice(0));
}

/**
 * Waits until a page shows this balance, and returns the moment at which it first did. The page says so by itself: one
 * that is asked again and again has its frames taken up with that.
 */
export function balanceShownAt(page: Page, balance: number): Promise<number> {
  return page.evaluate(
    (wanted) =>
      new Promise<number>((resolve) => {
        const look = (): void => {
          const { renders } = globalThis as unknown as { renders: Render[] };
          const shown = renders.findLast((render) => render.balance === wanted);
          if (shown === undefined) return;
          removeEventListener('recorded-render', look);
          resolve(shown.at);
        };
        addEventListener('recorded-render', look);
        look();
      }),
    balance,
  );
}

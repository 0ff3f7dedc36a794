import type { ElementHandle, Page } from 'puppeteer-core';
import type { Part, Tab } from '../driver.ts';

const PATIENCE_MS = 30_000;
const EVERY_MS = 25;

/** What the page finds behind a selector: looked at anew each time, since a page may draw itself again. */
interface Found {
  readonly count: number;
  readonly isVisible: boolean;
  readonly isEnabled: boolean;
  readonly text: string | null;
}

/**
 * A tab in Firefox, with the words that Playwright has for one. Everything is looked at from here and not by the page's
 * own frames, which hardly come in a tab that is not in front.
 */
export function firefoxTab(page: Page): Tab {
  const part = (selector: string, hasText = ''): Part => {
    const look = (): Promise<Found> => page.evaluate(lookAt, selector, hasText);
    const until = (what: string, condition: (found: Found) => boolean): Promise<Found> =>
      poll(`${selector} ${hasText} to be ${what}`, look, condition);
    const handle = async (): Promise<ElementHandle<Element>> => {
      const found = await page.evaluateHandle(firstOf, selector, hasText);
      const element = found.asElement();
      if (element === null) throw new Error(`${selector} is gone.`);
      return element as ElementHandle<Element>;
    };
    return {
      count: async () => (await look()).count,
      isVisible: async () => (await look()).isVisible,
      textContent: async () => (await until('there', ({ count }) => count > 0)).text,
      waitFor: async ({ state = 'visible' } = {}) => {
        await until(state, ({ count, isVisible }) => {
          if (state === 'visible') return isVisible;
          return state === 'attached' ? count > 0 : count === 0 || (state === 'hidden' && !isVisible);
        });
      },
      click: async () => {
        await until('ready', ({ isVisible, isEnabled }) => isVisible && isEnabled);
        await (await handle()).click();
      },
      fill: async (text) => {
        await until('ready', ({ isVisible, isEnabled }) => isVisible && isEnabled);
        const field = await handle();
        await field.evaluate((input) => (input as HTMLInputElement).select());
        await field.type(text);
      },
    };
  };

  return {
    locator: (selector, { hasText } = {}) => part(selector, hasText),
    click: (selector) => part(selector).click(),
    fill: (selector, text) => part(selector).fill(text),
    waitForSelector: (async (selector: string) =>
      part(selector).waitFor()) as unknown as Tab['waitForSelector'],
    waitForURL: async (url) => {
      const isThere = (now: string): boolean => (url instanceof RegExp ? url.test(now) : url === now);
      await poll(`the address ${url}`, async () => page.url(), isThere);
    },
    waitForFunction: (async (condition: () => unknown) =>
      poll('the page', () => page.evaluate(condition), Boolean)) as unknown as Tab['waitForFunction'],
    evaluate: ((work: (given: unknown) => unknown, given: unknown) =>
      page.evaluate(work, given)) as Tab['evaluate'],
    title: () => page.evaluate(() => document.title),
    url: () => page.url(),
    close: () => page.close(),
  };
}

/** Waits until what is looked at satisfies the condition; a page that is on its way elsewhere is looked at again. */
async function poll<T>(what: string, look: () => Promise<T>, condition: (seen: T) => boolean): Promise<T> {
  const giveUpAt = Date.now() + PATIENCE_MS;
  for (let last: unknown; ; ) {
    try {
      const seen = await look();
      if (condition(seen)) return seen;
      last = seen;
    } catch (error) {
      last = error;
    }
    if (Date.now() > giveUpAt)
      throw new Error(`Waited for ${what}; last was ${JSON.stringify(last) ?? last}`);
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
}

/** Runs in the page. */
function lookAt(selector: string, hasText: string): Found {
  const plain = (text: string | null): string => (text ?? '').replace(/\s+/g, ' ').toLowerCase();
  const all = [...document.querySelectorAll<HTMLElement>(selector)].filter((element) =>
    plain(element.textContent).includes(plain(hasText)),
  );
  const [first] = all;
  const box = first?.getBoundingClientRect();
  const isShown = first !== undefined && getComputedStyle(first).visibility === 'visible';
  return {
    count: all.length,
    isVisible: isShown && box !== undefined && box.width > 0 && box.height > 0,
    isEnabled: first !== undefined && !first.matches(':disabled, [aria-disabled="true"]'),
    text: first?.textContent ?? null,
  };
}

/** Runs in the page. */
function firstOf(selector: string, hasText: string): Element | null {
  const plain = (text: string | null): string => (text ?? '').replace(/\s+/g, ' ').toLowerCase();
  return (
    [...document.querySelectorAll(selector)].find((element) =>
      plain(element.textContent).includes(plain(hasText)),
    ) ?? null
  );
}

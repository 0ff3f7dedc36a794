import type { Browser } from 'puppeteer-core';

/**
 * Code that runs as the browser itself does. Firefox needs `--remote-allow-system-access` for it; its protocol has no
 * command that opens an extension's page, ends its background or takes the browser off the network.
 */
export interface ChromeScope {
  /** The value of an expression, which may be a promise of something plain. */
  run(expression: string): Promise<unknown>;
}

/** What puppeteer's browser has beyond its public types when it speaks WebDriver BiDi. */
interface BidiBrowser {
  readonly connection: { send(method: string, params: object): Promise<{ readonly result: unknown }> };
}

interface Evaluated {
  readonly type: 'success' | 'exception';
  readonly result?: { readonly value?: unknown };
  readonly exceptionDetails?: { readonly text: string };
}

export async function openChromeScope(browser: Browser): Promise<ChromeScope> {
  const { connection } = browser as unknown as BidiBrowser;
  const { result } = await connection.send('browsingContext.getTree', { 'moz:scope': 'chrome' });
  const [window] = (result as { readonly contexts: readonly { readonly context: string }[] }).contexts;
  if (window === undefined) throw new Error('Firefox has no window.');
  return {
    async run(expression) {
      const target = { context: window.context };
      const answer = await connection.send('script.evaluate', { expression, target, awaitPromise: true });
      const { type, result: value, exceptionDetails } = answer.result as Evaluated;
      if (type === 'exception') throw new Error(`Firefox: ${exceptionDetails?.text}`);
      return value?.value;
    },
  };
}

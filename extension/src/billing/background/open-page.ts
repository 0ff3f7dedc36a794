import type { CheckoutResponse, PortalResponse } from '@contract/api.ts';
import type { LookupKey } from '@contract/pricing.ts';
import type { OpenResult } from '../messages.ts';
import type { Api, ApiAnswer } from './api.ts';

/** The provider creates a session in one to three seconds; a cold start of the function comes on top. */
const TIMEOUT_MS = 20_000;

export interface OpenPageDeps {
  readonly api: Api;
  readonly openTab: (url: string) => Promise<void>;
  /** A page is open in which the user may buy or cancel. */
  readonly onOpened: () => Promise<void>;
}

export interface OpenPage {
  /** Opens the hosted checkout of one offer in a tab. */
  checkout(lookupKey: LookupKey): Promise<OpenResult>;
  /** Opens the provider's portal, where a plan is cancelled or a card is changed. */
  portal(): Promise<OpenResult>;
}

export function createOpenPage({ api, openTab, onOpened }: OpenPageDeps): OpenPage {
  /** A double click asks once and opens one tab. */
  const underWay = new Map<string, Promise<OpenResult>>();

  function once(name: string, open: () => Promise<OpenResult>): Promise<OpenResult> {
    const started = underWay.get(name) ?? open().finally(() => underWay.delete(name));
    underWay.set(name, started);
    return started;
  }
  async function opened(answer: ApiAnswer<{ readonly url: string }>): Promise<OpenResult> {
    if (answer.kind !== 'answered') return refusalOf(answer);
    if (!isHostedPage(answer.body.url))
      return refuse('internal', 'The billing service named no page to open.');
    await onOpened();
    await openTab(answer.body.url);
    return { ok: true };
  }

  return {
    checkout: (lookupKey) =>
      once(lookupKey, async () =>
        opened(
          await api.post<CheckoutResponse>({
            path: '/billing/checkout',
            body: { lookup_key: lookupKey },
            timeoutMs: TIMEOUT_MS,
          }),
        ),
      ),
    portal: () =>
      once('portal', async () =>
        opened(await api.post<PortalResponse>({ path: '/billing/portal', body: {}, timeoutMs: TIMEOUT_MS })),
      ),
  };
}

function refusalOf(answer: Exclude<ApiAnswer<unknown>, { kind: 'answered' }>): OpenResult {
  switch (answer.kind) {
    case 'problem':
      return refuse(answer.problem.code, answer.problem.detail);
    case 'unreachable':
      return refuse('offline', 'There is no connection. Check your network and try again.');
    case 'timeout':
      return refuse('temporarily_unavailable', 'The billing service took too long to answer. Try again.');
    case 'signed_out':
      return refuse('unauthenticated', 'Sign in first, then try again.');
    default:
      return answer satisfies never;
  }
}

function refuse(code: string, message: string): OpenResult {
  return { ok: false, code, message };
}

/** https, or the simulator on this machine. Nothing else may be opened by an answer from the network. */
function isHostedPage(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

export function isLoopback(hostname: string): boolean {
  return hostname === '127.0.0.1' || hostname === 'localhost' || hostname === '[::1]';
}

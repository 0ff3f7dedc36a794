import type { ChangeResponse, CheckoutResponse, PortalResponse } from '@extension-billing/contract/api';
import type { LookupKey } from '@extension-billing/contract/catalog';
import type { ErrorCode } from '@extension-billing/contract/problems';
import type { OpenResult } from '../messages.ts';
import type { Api, ApiAnswer } from './api.ts';

/** The provider creates a session in one to three seconds; a cold start of the function comes on top. */
const TIMEOUT_MS = 20_000;

export interface OpenPageDeps {
  readonly api: Pick<Api, 'post'>;
  /** Who is signed in. */
  readonly uid: () => Promise<string | null>;
  readonly openTab: (url: string) => Promise<void>;
  /** A page is about to open in which the user may buy or cancel; `lookupKey`: the offer that it sells. */
  readonly onOpening: (lookupKey: LookupKey | null) => Promise<void>;
  /** The browser opened no tab for the offer's checkout. */
  readonly onNotOpened: () => Promise<void>;
}

export interface OpenPage {
  /** Opens the hosted checkout of one offer in a tab, in the currency that its price was shown in. */
  checkout(lookupKey: LookupKey, currency?: string): Promise<OpenResult>;
  /** Opens the page on which a change of plan is confirmed; none where a planned change is only taken back. */
  change(lookupKey: LookupKey): Promise<OpenResult>;
  /** Opens the provider's portal, where a plan is cancelled or a card is changed. */
  portal(): Promise<OpenResult>;
}

type BillingPath = '/billing/checkout' | '/billing/change' | '/billing/portal';

export function createOpenPage(deps: OpenPageDeps): OpenPage {
  /** A double click of one user asks once and opens one tab. */
  const underWay = new Map<string, Promise<OpenResult>>();

  async function open(
    path: BillingPath,
    body: { readonly lookup_key?: LookupKey } = {},
  ): Promise<OpenResult> {
    const uid = await deps.uid();
    if (uid === null) return refuse('unauthenticated');
    const name = JSON.stringify([uid, path, body]);
    const started = underWay.get(name) ?? opened(uid, path, body).finally(() => underWay.delete(name));
    underWay.set(name, started);
    return started;
  }
  async function opened(
    uid: string,
    path: BillingPath,
    body: { readonly lookup_key?: LookupKey },
  ): Promise<OpenResult> {
    const answer = await deps.api.post<CheckoutResponse | ChangeResponse | PortalResponse>({
      uid,
      path,
      body,
      timeoutMs: TIMEOUT_MS,
    });
    if (answer.kind !== 'answered') return refusalOf(answer);
    const { url } = answer.body;
    if (url !== null && !isHostedPage(url)) return refuse('internal');
    // The page shows and charges the account that asked for it: nobody else may find it open before them.
    if ((await deps.uid()) !== uid) return refuse('account_changed');
    // Looking for the purchase is help: where that cannot begin, the page opens all the same.
    const lookupKey = url === null ? null : (body.lookup_key ?? null);
    await deps.onOpening(lookupKey).catch(() => {});
    if (url === null) return { ok: true };
    try {
      await deps.openTab(url);
    } catch (error) {
      // A portal's own tab says nothing of a checkout that is open.
      if (lookupKey !== null) await deps.onNotOpened().catch(() => {});
      throw error;
    }
    return { ok: true };
  }

  return {
    checkout: (lookupKey, currency) =>
      open('/billing/checkout', { lookup_key: lookupKey, ...(currency !== undefined && { currency }) }),
    change: (lookupKey) => open('/billing/change', { lookup_key: lookupKey }),
    portal: () => open('/billing/portal'),
  };
}

type RefusalCode = ErrorCode | 'offline' | 'account_changed';

/** What a user can do about each refusal. The server's own words are for developers. */
const SENTENCES: Partial<Record<RefusalCode, string>> = {
  already_subscribed: 'You already have a plan. Open billing to change or cancel it.',
  already_owned: 'This is yours already. There is nothing to pay.',
  already_on_plan: 'This is your plan already.',
  no_subscription: 'There is no plan to change. Choose one first.',
  change_planned: 'Another change is planned. Keep your current plan first, then change.',
  currency_differs:
    'This plan is sold in another currency than your current one. Cancel that one first, and buy this when it has ended.',
  portal_required: 'Open billing and put your current plan right first, then change.',
  no_customer: 'There is nothing to manage yet. Choose a plan or a pack first.',
  unknown_lookup_key: 'This is no longer sold. Update the extension to see what is.',
  too_many_requests: 'That was a lot at once. Wait a moment and try again.',
  billing_disabled: 'Purchases are switched off at the moment. Try again later.',
  provider_unavailable:
    'The payment page cannot be opened right now. You were not charged. Try again in a moment.',
  unauthenticated: 'Sign in first, then try again.',
  offline: 'There is no connection. Check your network and try again.',
  account_changed: 'Another account signed in meanwhile. Try again with this one.',
  temporarily_unavailable: 'Billing took too long to answer. You were not charged. Try again.',
};

function refusalOf(answer: Exclude<ApiAnswer<unknown>, { kind: 'answered' }>): OpenResult {
  switch (answer.kind) {
    case 'problem':
      return refuse(answer.problem.code);
    case 'unreachable':
      return refuse('offline');
    case 'timeout':
      return refuse('temporarily_unavailable');
    case 'signed_out':
      return refuse('unauthenticated');
    case 'account_changed':
      return refuse('account_changed');
    default:
      return answer satisfies never;
  }
}

function refuse(code: RefusalCode): OpenResult {
  return {
    ok: false,
    code,
    message: SENTENCES[code] ?? 'Something went wrong on our side. Try again in a moment.',
  };
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

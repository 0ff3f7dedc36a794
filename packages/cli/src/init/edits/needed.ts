import { LOCAL_SUITE } from '../templates/addresses.ts';

/** Billing's page, as the manifest names it, where the extension has no options page of its own. */
export const BILLING_PAGE = 'billing/page.html';

/** What every manifest needs for billing, whoever makes it (wxt and plasmo take it from their configuration). */
export const NEEDED = {
  permissions: ['storage', 'alarms'],
  returnPages: `${LOCAL_SUITE.returnOrigin}/*`,
} as const;

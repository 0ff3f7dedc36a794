import { route } from '../http/router.ts';

/** Enough for a script or the CLI to ask whose key it holds. */
export const accountRoutes = [
  route('GET /v1/account', () => ({
    id: 'acct_simulator0000000',
    object: 'account',
    business_profile: { name: 'Simulator' },
    charges_enabled: true,
    country: 'US',
    default_currency: 'usd',
    details_submitted: true,
    email: null,
    payouts_enabled: true,
    settings: { dashboard: { display_name: 'Simulator', timezone: 'Etc/UTC' } },
    type: 'standard',
  })),
];

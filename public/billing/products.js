// What is sold, by lookup key. Written by `npx billing deploy` (billing.config.ts).
export const PRODUCTS = {
  premium_monthly: 'Premium',
  premium_yearly: 'Premium (yearly)',
  premium_metered_monthly: 'Premium with credits',
  premium_lifetime: 'Premium (lifetime)',
  credits_pack_small: '100 credits',
  credits_pack_large: '500 credits',
};

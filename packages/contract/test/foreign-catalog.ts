import { defineCatalog } from '../src/define-catalog.ts';

/** The id of the demo's builds, and of another extension of the same project. */
export const STUDIO = 'keggfklddlhbjeolakknnaliambbpajm';
export const BRUSHES = 'loefpfolecbhofknngmgnlpjaebdcdmm';
/** The public key of its manifest, from which a browser makes that id. */
export const BRUSHES_KEY =
  'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAl8uNOVBFcOmWSljlsBP1B9GPrHAKGsErjXNJIKXsjC1hquh1k4iO1SFXrPswdsZZ6pxkwE22q8t457JnO4Mq//Za5CIprELVnD0ClqysUiQ084psR033aZcGp3owqmxxV9PAxCmVvl93LCDEFZtAeP7IaBbC5+3e9qbYbcnihIcAHw2q+Pl/r+GD44VIcoRC8oPZ2yDIqQBg9HKoEttGnlWSQHyOTw3/YEdcFPAmN/hcJfOXuo0tcRW2s26DMdgRVYiXQyomM6z4AkGhBKpPYxatwvDwj96N3U/A4c4BVf9XQJIbp3dGC46mUrKu/1wUd+8QRFuiM0SC84FWLLN/GQIDAQAB';

/**
 * The catalogue of somebody else, as different from the shipped one as the format allows: two tiers by the month and by
 * the year, two lifetime plans, three packs, a currency without decimals, four features behind four kinds of door, long
 * names, and a second extension that sells packs alone. The whole journey runs on it (tools/suite/foreign-catalog).
 */
export const foreignCatalog = defineCatalog({
  model: 'hybrid-credits',
  gate: 'metered',
  trialDays: 3,
  entitlements: { pro: { includes: ['basic'] }, basic: {} },
  plans: {
    atelier_basic_month: {
      kind: 'subscription',
      interval: 'month',
      amount: 480,
      currency: 'jpy',
      grants: ['basic'],
      trial: true,
      name: 'Atelier Basic',
      benefits: ['Retouching without limit', 'Files up to 40 megapixels'],
    },
    atelier_basic_year: {
      kind: 'subscription',
      interval: 'year',
      amount: 4_800,
      currency: 'jpy',
      grants: ['basic'],
      trial: true,
      name: 'Atelier Basic',
      benefits: ['Retouching without limit', 'Files up to 40 megapixels'],
    },
    atelier_pro_month: {
      kind: 'subscription',
      interval: 'month',
      amount: 1_280,
      currency: 'jpy',
      grants: ['pro'],
      credits: { amount: 300, every: 'month' },
      name: 'Atelier Professional for Illustrators and Publishing Houses',
      benefits: ['300 credits a month', 'Everything that Basic has', 'Export in print quality'],
      popular: true,
    },
    atelier_pro_year: {
      kind: 'subscription',
      interval: 'year',
      amount: 12_800,
      currency: 'jpy',
      grants: ['pro'],
      credits: { amount: 300, every: 'month' },
      name: 'Atelier Professional for Illustrators and Publishing Houses',
      benefits: ['300 credits a month', 'Everything that Basic has', 'Export in print quality'],
    },
    atelier_basic_forever: {
      kind: 'lifetime',
      amount: 9_800,
      currency: 'jpy',
      grants: ['basic'],
      name: 'Atelier Basic for good',
    },
    atelier_pro_forever: {
      kind: 'lifetime',
      amount: 29_800,
      currency: 'jpy',
      grants: ['pro'],
      name: 'アトリエ・プロフェッショナル 永久ライセンス',
    },
  },
  packs: {
    drops_30: { amount: 300, currency: 'jpy', credits: 30 },
    drops_120: { amount: 980, currency: 'jpy', credits: 120, name: 'A jar of drops', popular: true },
    drops_400: { amount: 2_800, currency: 'jpy', credits: 400, name: 'A bucket of drops' },
  },
  features: {
    // First, and without a cost of its own: what plays the first requests of an instance has to hold it.
    render_scene: {
      hold: 20,
      overdraw: 5,
      rates: { scene: { credits: 2, per: 1 }, frame: { credits: 1, per: 24 } },
    },
    sketch: { cost: 3 },
    retouch: { cost: 2, needs: 'basic' },
    print_export: { gate: 'paywall' },
  },
  apps: {
    [STUDIO]: { name: 'Atelier' },
    [BRUSHES]: { name: 'Brushes', sells: ['drops_30', 'drops_120', 'drops_400'], entitlements: [] },
  },
});

export default foreignCatalog;

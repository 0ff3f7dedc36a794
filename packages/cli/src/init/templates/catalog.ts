/** What an extension sells at first: a plan, a pack and a feature, which nobody runs without credits. */
const FIRST = {
  model: 'hybrid-credits',
  gate: 'metered',
  unmetered: 'refuse',
  trialDays: 7,
  plans: {
    pro_monthly: {
      kind: 'subscription',
      interval: 'month',
      amount: 900,
      currency: 'usd',
      trial: true,
      name: 'Pro',
      description: 'Everything, billed monthly.',
    },
  },
  packs: {
    credits_100: { amount: 500, currency: 'usd', credits: 100, name: '100 credits' },
  },
  features: { demo: { cost: 1 } },
} as const;

/** The feature that the page's button spends for. */
export const FEATURE: keyof typeof FIRST.features = 'demo';

/** The catalogue as data, which pages without a bundler read by its address. */
export function catalogJson(): string {
  return `${JSON.stringify(FIRST, null, 2)}\n`;
}

/** billing.config.mjs that hands on the catalogue as data, so that there is one. @param json its path from the folder */
export function configOfJson(json: string): string {
  return `// What is sold: ${json}, which the extension's pages read too. \`npm start -- --extension\` of the checkout sells it.
import catalog from './${json}' with { type: 'json' };

export default catalog;
`;
}

/** billing.config.ts that is the catalogue, for pages whose bundler reads TypeScript. */
export function configOfItself(): string {
  return `import { defineCatalog } from '@extension-billing/client/pricing';

/** What is sold: the extension's pages show it, \`npm start -- --extension\` of the checkout sells it. */
export default defineCatalog(${asSource(FIRST, '')});
`;
}

/** Data as one would write it: keys without quotes, single quotes, trailing commas. */
function asSource(value: unknown, indent: string): string {
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  if (typeof value !== 'object' || value === null) return String(value);
  const inner = `${indent}  `;
  const fields = Object.entries(value).map(([key, field]) => `${inner}${key}: ${asSource(field, inner)},\n`);
  return `{\n${fields.join('')}${indent}}`;
}

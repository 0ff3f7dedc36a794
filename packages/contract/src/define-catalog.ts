import * as v from 'valibot';
import type { Catalog } from './catalog.ts';

const wholeNumber = (least: number, most: number, what: string) =>
  v.pipe(
    v.number(`must be ${what}`),
    v.integer(`must be ${what}`),
    v.minValue(least, `must be ${what}`),
    v.maxValue(most, `must be ${what}`),
  );
const text = (most: number, what: string) =>
  v.pipe(
    v.string(`must be ${what}`),
    v.minLength(1, `must be ${what}`),
    v.maxLength(most, `must be ${what}`),
  );

/** The most that Stripe takes for one price: eight digits. */
const MAX_AMOUNT = 99_999_999;
const LookupKey = text(200, 'the lookup key of the price at the provider, 1 to 200 characters');
const Amount = wholeNumber(0, MAX_AMOUNT, 'a whole number of minor currency units (1900 for $19.00)');
const Currency = v.pipe(
  v.string('must be a currency code'),
  v.regex(/^[a-z]{3}$/, 'must be a currency of three lower-case letters, like "usd"'),
);
const Credits = (least: number) =>
  wholeNumber(least, 1_000_000_000, `a whole number of credits from ${least}`);
const Gate = v.picklist(['metered', 'paywall', 'none'], 'must be "metered", "paywall" or "none"');

const Product = v.pipe(
  v.strictObject({
    name: text(250, 'a name of 1 to 250 characters'),
    description: v.exactOptional(text(500, 'a text of 1 to 500 characters')),
  }),
  v.readonly(),
);

const PlanSchema = v.pipe(
  v.strictObject({
    lookupKey: LookupKey,
    kind: v.picklist(['subscription', 'lifetime'], 'must be "subscription" or "lifetime"'),
    interval: v.picklist(['month', 'year', 'once'], 'must be "month", "year" or "once"'),
    amount: Amount,
    currency: Currency,
    monthlyCredits: Credits(0),
    hasTrial: v.boolean('must be true or false'),
    name: v.exactOptional(text(100, 'a name of 1 to 100 characters')),
    benefits: v.exactOptional(v.pipe(v.array(text(200, 'a few words')), v.readonly())),
    product: v.exactOptional(Product),
  }),
  v.check(
    ({ kind, interval }) => (kind === 'lifetime') === (interval === 'once'),
    'has an interval that does not fit its kind: "once" for a lifetime plan, "month" or "year" for a subscription',
  ),
  v.readonly(),
);

const PackSchema = v.pipe(
  v.strictObject({
    lookupKey: LookupKey,
    kind: v.literal('pack', 'must be "pack"'),
    amount: Amount,
    currency: Currency,
    credits: Credits(1),
    product: v.exactOptional(Product),
  }),
  v.readonly(),
);

const FeatureSchema = v.pipe(
  v.strictObject({
    cost: v.exactOptional(Credits(1)),
    gate: v.exactOptional(Gate),
  }),
  v.readonly(),
);

const CatalogSchema = v.pipe(
  v.strictObject({
    model: v.picklist(
      ['hybrid-credits', 'credits-only', 'subscription'],
      'must be "hybrid-credits", "credits-only" or "subscription"',
    ),
    gate: Gate,
    trialDays: wholeNumber(0, 730, 'a number of days from 0 (no trial) to 730'),
    plans: v.pipe(v.array(PlanSchema), v.readonly()),
    packs: v.pipe(v.array(PackSchema), v.readonly()),
    features: v.pipe(v.record(text(200, 'a name of 1 to 200 characters'), FeatureSchema), v.readonly()),
  }),
  v.readonly(),
);

/** Null where the two types differ in anything, an optional field too: then this does not compile. */
type WhereSame<One, Other> =
  (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? typeof CatalogSchema : null;
type Plain<T> = T extends object ? { readonly [Key in keyof T]: Plain<T[Key]> } : T;
const schema: WhereSame<Plain<v.InferOutput<typeof CatalogSchema>>, Plain<Catalog>> = CatalogSchema;

/** A catalogue that cannot be sold. The message lists every problem with its place and what to write instead. */
export class CatalogError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(
      `The catalogue (billing.config.ts) is not right:\n${problems.map((line) => `  - ${line}`).join('\n')}`,
    );
    this.name = 'CatalogError';
    this.problems = problems;
  }
}

/**
 * The catalogue, checked.
 *
 * @throws CatalogError with every problem at once
 */
export function defineCatalog(given: Catalog): Catalog {
  const checked = v.safeParse(schema, given);
  const problems = checked.success
    ? soldTwice(checked.output).map(
        (key) => `the lookup key "${key}" is sold twice: each offer needs one of its own`,
      )
    : checked.issues.map(describeIssue);
  if (problems.length > 0) throw new CatalogError(problems);
  return given;
}

function describeIssue(issue: v.BaseIssue<unknown>): string {
  const place = (issue.path ?? []).map(({ key }) =>
    typeof key === 'number' ? `[${key}]` : `.${String(key)}`,
  );
  const where = place.join('').replace(/^\./, '') || 'the catalogue';
  if (issue.type === 'strict_object' && issue.expected === 'never') {
    return `${where} is not a field of a catalogue: take it out, or correct its spelling`;
  }
  if (issue.type === 'strict_object' && issue.received === 'undefined') return `${where} is missing`;
  return `${where} ${issue.message}${issue.type === 'check' ? '' : `, not ${issue.received}`}`;
}

function soldTwice({ plans, packs }: Catalog): readonly string[] {
  const keys = [...plans, ...packs].map(({ lookupKey }) => lookupKey);
  return [...new Set(keys.filter((key, index) => keys.indexOf(key) !== index))];
}

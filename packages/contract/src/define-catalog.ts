import * as v from 'valibot';
import type {
  App,
  BillingModel,
  Catalog,
  FeaturePrice,
  FreeCredits,
  GatePreset,
  PackOffer,
  PlanOffer,
  Product,
} from './catalog.ts';
import {
  Amount,
  byName,
  Credits,
  Currency,
  EntitlementName,
  Every,
  EveryOrOnce,
  Gate,
  Limits,
  LookupKey,
  list,
  optional,
  strict,
  text,
  wholeNumber,
} from './catalog-fields.ts';
import { Feature, type FeatureInput, featureProblems } from './define-features.ts';
import { EXTENSION_ID } from './extension-id.ts';
import type { Period } from './period.ts';
import type { AllowanceTerms, SpendLimit } from './schedule.ts';

/** What a plan and a pack say alike; the key in front of them is the lookup key of the price at the provider. */
interface SoldInput {
  /** Minor currency units: 1900 for $19.00. */
  readonly amount: number;
  /** ISO 4217, lower case. */
  readonly currency: string;
  /** The same in further currencies, in their minor units. */
  readonly prices?: Readonly<Record<string, number>>;
  readonly name?: string;
  readonly description?: string;
  readonly popular?: boolean;
  /** Another name and description for the provider's pages and receipts. */
  readonly product?: Product;
}

export interface PlanInput<Entitlement extends string = string> extends SoldInput {
  readonly kind: 'subscription' | 'lifetime';
  /** Of a subscription. */
  readonly interval?: 'month' | 'year';
  readonly grants?: readonly Entitlement[];
  readonly credits?: AllowanceTerms;
  readonly trial?: boolean;
  readonly benefits?: readonly string[];
}

export interface PackInput extends SoldInput {
  readonly credits: number;
  readonly expiresAfterDays?: number;
}

export interface FreeInput {
  readonly credits: number;
  readonly every: Period | 'once';
  /** Nothing without it. */
  readonly guests?: number;
  readonly verifiedEmail?: boolean;
  readonly dailyCeiling?: number;
  readonly limits?: readonly SpendLimit[];
}

export interface AppInput<Key extends string = string, Entitlement extends string = string> {
  readonly name?: string;
  /** Everything without it. */
  readonly sells?: readonly Key[];
  /** All of them without it. */
  readonly entitlements?: readonly Entitlement[];
}

/** billing.config.ts as people write it; catalog.ts says what each field means. */
export interface CatalogInput<
  Plan extends string = string,
  Pack extends string = string,
  Feature extends string = string,
  Entitlement extends string = string,
> {
  readonly model: BillingModel;
  /** `metered` without it; `paywall` in the model `subscription`, which has no credits. */
  readonly gate?: GatePreset;
  /** `free` without it. */
  readonly unmetered?: 'free' | 'refuse';
  readonly trialDays: number;
  readonly currencies?: readonly string[];
  readonly free?: FreeInput;
  readonly entitlements?: Readonly<
    Record<Entitlement, { readonly includes?: readonly NoInfer<Entitlement>[] }>
  >;
  readonly plans: Readonly<Record<Plan, PlanInput<NoInfer<Entitlement>>>>;
  readonly packs: Readonly<Record<Pack, PackInput>>;
  readonly features: Readonly<Record<Feature, FeatureInput<NoInfer<Entitlement>>>>;
  /** By extension id, where one project serves several. */
  readonly apps?: Readonly<Record<string, AppInput<NoInfer<Plan | Pack>, NoInfer<Entitlement>>>>;
}

/** A catalogue that knows its keys by name. */
export interface DefinedCatalog<
  Plan extends string = string,
  Pack extends string = string,
  Feature extends string = string,
  Entitlement extends string = string,
> extends Catalog {
  readonly plans: readonly (PlanOffer & { readonly lookupKey: Plan })[];
  readonly packs: readonly (PackOffer & { readonly lookupKey: Pack })[];
  readonly features: Readonly<Record<Feature, FeaturePrice>>;
  readonly entitlements: Readonly<Record<Entitlement, readonly string[]>>;
}

/** The longest value that Stripe keeps in metadata. */
const MAX_METADATA = 500;

const sold = {
  amount: Amount,
  currency: Currency,
  prices: optional(byName(Currency, Amount)),
  name: optional(text(100, 'a name of 1 to 100 characters')),
  description: optional(text(500, 'a text of 1 to 500 characters')),
  popular: optional(v.boolean('must be true or false')),
  product: optional(
    strict({
      name: text(250, 'a name of 1 to 250 characters'),
      description: optional(text(500, 'a text of 1 to 500 characters')),
    }),
  ),
};

const Plan = v.pipe(
  v.strictObject({
    ...sold,
    kind: v.picklist(['subscription', 'lifetime'], 'must be "subscription" or "lifetime"'),
    interval: optional(v.picklist(['month', 'year'], 'must be "month" or "year"')),
    grants: optional(list(EntitlementName)),
    credits: optional(
      strict({
        amount: Credits(1),
        every: Every,
        rollover: optional(Credits(0)),
        limits: optional(Limits),
      }),
    ),
    trial: optional(v.boolean('must be true or false')),
    benefits: optional(list(text(200, 'a few words'))),
  }),
  v.check(
    ({ kind, interval }) => (kind === 'lifetime') === (interval === undefined),
    'has an interval that does not fit its kind: a subscription has "month" or "year", a lifetime plan none',
  ),
  v.check(
    ({ kind, trial }) => kind === 'subscription' || trial !== true,
    'is a lifetime plan with a trial: only a subscription has one, take it out',
  ),
  v.readonly(),
);

const Pack = strict({
  ...sold,
  credits: Credits(1),
  expiresAfterDays: optional(wholeNumber(1, 36_500, 'a whole number of days from 1')),
});

const Free = v.pipe(
  v.strictObject({
    credits: Credits(1),
    every: EveryOrOnce,
    guests: optional(Credits(0)),
    verifiedEmail: optional(v.boolean('must be true or false')),
    dailyCeiling: optional(Credits(1)),
    limits: optional(Limits),
  }),
  v.check(
    ({ credits, guests = 0 }) => guests <= credits,
    'gives guests more than people who signed in: anybody can be as many guests as they like',
  ),
  v.check(
    ({ guests = 0, verifiedEmail = false }) => guests === 0 || !verifiedEmail,
    'is for verified e-mail addresses and gives guests some: a guest has no address, leave "guests" out',
  ),
  v.readonly(),
);

const CatalogSchema = strict({
  model: v.picklist(
    ['hybrid-credits', 'credits-only', 'subscription'],
    'must be "hybrid-credits", "credits-only" or "subscription"',
  ),
  gate: optional(Gate),
  unmetered: optional(v.picklist(['free', 'refuse'], 'must be "free" or "refuse"')),
  trialDays: wholeNumber(0, 730, 'a number of days from 0 (no trial) to 730'),
  currencies: optional(list(Currency)),
  free: optional(Free),
  entitlements: optional(byName(EntitlementName, strict({ includes: optional(list(EntitlementName)) }))),
  plans: byName(LookupKey, Plan),
  packs: byName(LookupKey, Pack),
  features: byName(text(200, 'a name of 1 to 200 characters'), Feature),
  apps: optional(
    byName(
      v.pipe(
        v.string(),
        v.regex(EXTENSION_ID, 'must be named by an extension id, such as 32 letters a to p'),
      ),
      strict({
        name: optional(text(100, 'a name of 1 to 100 characters')),
        sells: optional(list(LookupKey)),
        entitlements: optional(list(EntitlementName)),
      }),
    ),
  ),
});

/** Null where the two types differ in anything, an optional field too: then this does not compile. */
type WhereSame<One, Other> =
  (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? typeof CatalogSchema : null;
type Plain<T> = T extends object ? { readonly [Key in keyof T]: Plain<T[Key]> } : T;
const schema: WhereSame<Plain<v.InferInput<typeof CatalogSchema>>, Plain<CatalogInput>> = CatalogSchema;

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
 * The catalogue, checked and resolved: offers in the order of the file, each with its lookup key and with the
 * entitlements that its own include. The keys of the file are types of the answer.
 *
 * @throws CatalogError with every problem at once
 */
export function defineCatalog<
  const Plan extends string,
  const Pack extends string,
  const Feature extends string,
  const Entitlement extends string = never,
>(given: CatalogInput<Plan, Pack, Feature, Entitlement>): DefinedCatalog<Plan, Pack, Feature, Entitlement> {
  const checked = v.safeParse(schema, given);
  if (!checked.success) throw new CatalogError(checked.issues.map(describeIssue));
  const input: CatalogInput = checked.output;
  const problems = [...contradictionsIn(input), ...unsellableIn(input)];
  if (problems.length > 0) throw new CatalogError(problems);
  // The fields are those of `given`: that its keys are these strings is what the schema cannot say.
  return resolve(input) as DefinedCatalog<Plan, Pack, Feature, Entitlement>;
}

/**
 * A catalogue that another build of the service published. Ignores fields that this build doesn't know, and rules that
 * only keep owners from writing what can't be sold: a build that refused the version in force would charge by its own,
 * older file.
 *
 * @throws CatalogError with every problem at once
 */
export function readDefined(given: CatalogInput): Catalog {
  const known = structuredClone(given);
  let checked = v.safeParse(schema, known);
  // valibot reports one unknown field of an object at a time.
  while (!checked.success && removeUnknown(checked.issues)) checked = v.safeParse(schema, known);
  if (!checked.success) throw new CatalogError(checked.issues.map(describeIssue));
  const problems = contradictionsIn(checked.output);
  if (problems.length > 0) throw new CatalogError(problems);
  return resolve(checked.output);
}

/** Removes the unknown fields from the objects that these issues are about. @returns whether there were any */
function removeUnknown(issues: readonly v.BaseIssue<unknown>[]): boolean {
  const last = issues.filter(isUnknownField).flatMap(({ path }) => path?.at(-1) ?? []);
  for (const { input, key } of last) Reflect.deleteProperty(Object(input), String(key));
  return last.length > 0;
}

function isUnknownField({ type, expected }: v.BaseIssue<unknown>): boolean {
  return type === 'strict_object' && expected === 'never';
}

function resolve({
  gate,
  unmetered = 'free',
  free,
  entitlements = {},
  plans,
  packs,
  apps = {},
  ...rest
}: CatalogInput): Catalog {
  const all = Object.fromEntries(
    Object.keys(entitlements).map((name) => [name, closed([name], entitlements)]),
  );
  const keys = [...Object.keys(plans), ...Object.keys(packs)];
  return {
    ...rest,
    gate: gate ?? gateOfModel(rest.model),
    unmetered,
    free: free === undefined ? null : resolveFree(free),
    entitlements: all,
    plans: Object.entries(plans).map(([lookupKey, { interval, grants = [], ...plan }]) => ({
      ...plan,
      lookupKey,
      interval: interval ?? 'once',
      grants: closed(grants, entitlements),
      credits: plan.credits ?? null,
      trial: plan.trial ?? false,
    })),
    packs: Object.entries(packs).map(([lookupKey, pack]) => ({ ...pack, lookupKey, kind: 'pack' })),
    apps: Object.fromEntries(
      Object.entries(apps).map(([id, app]): [string, App] => [
        id,
        {
          ...app,
          sells: app.sells ?? keys,
          entitlements:
            app.entitlements === undefined ? Object.keys(all).sort() : closed(app.entitlements, entitlements),
        },
      ]),
    ),
  };
}

function gateOfModel(model: BillingModel): GatePreset {
  return model === 'subscription' ? 'paywall' : 'metered';
}

function resolveFree({ guests = 0, verifiedEmail = false, dailyCeiling, ...free }: FreeInput): FreeCredits {
  return { ...free, guests, verifiedEmail, dailyCeiling: dailyCeiling ?? null };
}

type Entitlements = NonNullable<CatalogInput['entitlements']>;

/** The names with all that they include, sorted. Ends also where they include each other. */
function closed(names: readonly string[], entitlements: Entitlements): readonly string[] {
  const found = new Set<string>();
  const add = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    entitlements[name]?.includes?.forEach(add);
  };
  names.forEach(add);
  return [...found].sort();
}

/** What is right field by field and impossible as a whole, each with its place and the way out. */
function contradictionsIn(catalog: CatalogInput): readonly string[] {
  const { entitlements = {}, plans, packs, features, apps = {}, currencies = [], model } = catalog;
  const gate = catalog.gate ?? gateOfModel(model);
  const sold = [
    ...Object.entries(plans).map(([key, offer]) => ({ at: `plans.${key}`, key, offer })),
    ...Object.entries(packs).map(([key, offer]) => ({ at: `packs.${key}`, key, offer })),
  ];
  const keys = new Set(sold.map(({ key }) => key));
  const unknown = (at: string, names: readonly string[] = []) =>
    names
      .filter((name) => !Object.hasOwn(entitlements, name))
      .map((name) => `${at} names the entitlement "${name}", which there is not: add it to "entitlements"`);
  return [
    ...Object.keys(plans)
      .filter((key) => Object.hasOwn(packs, key))
      .map((key) => `packs.${key} has the lookup key of a plan: each offer needs one of its own`),
    ...Object.entries(entitlements).flatMap(([name, { includes = [] }]) => [
      ...unknown(`entitlements.${name}.includes`, includes),
      ...(includes.some((other) => closed([other], entitlements).includes(name))
        ? [`entitlements.${name} includes itself, by way of ${includes.join(', ')}: take one of them out`]
        : []),
    ]),
    ...Object.entries(plans).flatMap(([key, { grants = [] }]) => [
      ...unknown(`plans.${key}.grants`, grants),
      ...(closed(grants, entitlements).join().length > MAX_METADATA
        ? [
            `plans.${key}.grants are, with all that they include, more than ${MAX_METADATA} characters, which is what the provider keeps of a sale: shorten the names`,
          ]
        : []),
    ]),
    ...sold
      .filter(({ offer: { name = '', product } }) => name.startsWith('__MSG_') && product === undefined)
      .map(
        ({ at }) =>
          `${at}.name is a text of the extension, which the provider cannot look up: add product: { name: '…' } for its pages and receipts`,
      ),
    ...sold.flatMap(({ at, offer }) => currencyProblems(at, offer, currencies)),
    ...Object.entries(features).flatMap(([name, feature]) => [
      ...unknown(`features.${name}.needs`, feature.needs === undefined ? [] : [feature.needs]),
      ...featureProblems(`features.${name}`, feature, gate),
    ]),
    ...Object.entries(apps).flatMap(([id, { sells = [], entitlements: read }]) => [
      ...sells
        .filter((key) => !keys.has(key))
        .map((key) => `apps.${id}.sells names "${key}", which is neither a plan nor a pack`),
      ...unknown(`apps.${id}.entitlements`, read),
    ]),
  ];
}

/** What can be resolved, but not sold. */
function unsellableIn({ model, plans, packs }: CatalogInput): readonly string[] {
  const packsOnly = model === 'credits-only' ? Object.keys(plans) : [];
  return [
    ...packsOnly.map(
      (key) =>
        `plans.${key} is a plan, and the model "credits-only" sells packs only: write model: 'hybrid-credits', or take the plan out`,
    ),
    ...Object.entries({ plans, packs }).flatMap(([kind, offers]) =>
      Object.entries(offers).flatMap(([key, offer]) => amountProblems(`${kind}.${key}`, offer)),
    ),
  ];
}

/**
 * What an amount must be a multiple of, if not of 1. Stripe counts krónur and shillings in hundredths although they have
 * none, and three-decimal currencies in thousandths of which the last digit must be 0.
 */
const AMOUNT_STEPS: ReadonlyMap<string, number> = new Map([
  ['isk', 100],
  ['ugx', 100],
  ...['bhd', 'jod', 'kwd', 'omr', 'tnd'].map((currency) => [currency, 10] as const),
]);

function amountProblems(at: string, { amount, currency, prices = {} }: SoldInput): readonly string[] {
  const amounts = [
    ['amount', currency, amount] as const,
    ...Object.entries(prices).map(([name, minor]) => [`prices.${name}`, name, minor] as const),
  ];
  return amounts.flatMap(([field, name, minor]) => {
    const step = AMOUNT_STEPS.get(name) ?? 1;
    return minor % step === 0
      ? []
      : [
          `${at}.${field} is ${minor} ${name}, which the provider refuses: write a multiple of ${step}, such as ${Math.ceil(minor / step) * step}`,
        ];
  });
}

function currencyProblems(
  at: string,
  { currency, prices = {} }: SoldInput,
  currencies: readonly string[],
): readonly string[] {
  const missing = currencies.filter((each) => each !== currency && !Object.hasOwn(prices, each));
  return [
    ...(Object.hasOwn(prices, currency)
      ? [`${at}.prices.${currency} says again what "amount" says: take it out`]
      : []),
    ...missing.map(
      (each) => `${at} has no price in "${each}": add prices: { ${each}: … }, or take it from "currencies"`,
    ),
  ];
}

function describeIssue(issue: v.BaseIssue<unknown>): string {
  const place = (issue.path ?? []).map(({ key }) =>
    typeof key === 'number' ? `[${key}]` : `.${String(key)}`,
  );
  const where = place.join('').replace(/^\./, '') || 'the catalogue';
  if (isUnknownField(issue)) {
    return `${where} is not a field of a catalogue: take it out, or correct its spelling`;
  }
  if (issue.type === 'strict_object' && issue.received === 'undefined') return `${where} is missing`;
  return `${where} ${issue.message}${issue.type === 'check' ? '' : `, not ${issue.received}`}`;
}

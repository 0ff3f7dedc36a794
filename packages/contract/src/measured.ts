import type { FeaturePrice } from './catalog.ts';

/**
 * What a call took, in units of work, and what that costs. Pure, and in whole numbers throughout: server, backends and
 * pages come to the same credits (docs/decisions/reservations.md#a-backend-names-what-was-used).
 */

/** Whole numbers from 0, by the names of the feature's rates. */
export type Units = Readonly<Record<string, number>>;

/** What a unit may be called. */
export const UNIT_NAME = /^[A-Za-z][\w-]{0,39}$/;
/** Units that a feature can have rates for, and so lines of a receipt. */
export const MAX_UNITS = 10;

/** Characters of a label. */
export const MAX_LABEL = 120;
/** More of a unit than a call can use, and little enough for whole numbers. */
export const MAX_QUANTITY = 1_000_000_000_000;

/** What a receipt says of one unit: so many of it, at so many credits for each `per` of them. */
export interface ReceiptLine {
  readonly unit: string;
  readonly quantity: number;
  readonly credits: number;
  readonly per: number;
}

/** What a backend measured when it settled a reservation. Its lines add up to the cost, rounded up once. */
export interface Receipt {
  /** The backend's own words, such as the name of a model. Nothing personal belongs there. */
  readonly label?: string;
  readonly lines?: readonly ReceiptLine[];
}

/** The first of these units that the feature has no rate for; null where it has one for each. */
export function unknownUnit({ rates = {} }: FeaturePrice, units: Units): string | null {
  return Object.keys(units).find((unit) => !Object.hasOwn(rates, unit)) ?? null;
}

/**
 * The lines of a receipt for these units, in the order of the feature's rates; those of which none was used are left out.
 *
 * @throws RangeError for a unit that the feature has no rate for, and for a quantity that is no whole number from 0
 */
export function linesOf(feature: FeaturePrice, units: Units): readonly ReceiptLine[] {
  const unknown = unknownUnit(feature, units);
  if (unknown !== null) throw new RangeError(`the feature has no rate for "${unknown}"`);
  return Object.entries(feature.rates ?? {}).flatMap(([unit, { credits, per }]) => {
    const quantity = Object.hasOwn(units, unit) ? (units[unit] ?? 0) : 0;
    if (!Number.isSafeInteger(quantity) || quantity < 0)
      throw new RangeError(`${unit} is no number of units`);
    return quantity === 0 ? [] : [{ unit, quantity, credits, per }];
  });
}

/**
 * Whole credits for these units: the exact sum of what each costs, rounded up once. Fractions are never added as floating
 * point numbers, which would drift past a whole one.
 *
 * @throws RangeError for a unit that the feature has no rate for, and for a quantity that is no whole number from 0
 */
export function measuredCost(feature: FeaturePrice, units: Units): number {
  const lines = linesOf(feature, units);
  const divisor = lines.reduce((product, { per }) => product * BigInt(per), 1n);
  const sum = lines.reduce(
    (total, { quantity, credits, per }) =>
      total + (BigInt(quantity) * BigInt(credits) * divisor) / BigInt(per),
    0n,
  );
  return Number((sum + divisor - 1n) / divisor);
}

/** What a backend says that a call took. */
export type Measured = (
  | { readonly amount: number; readonly units?: never }
  | { readonly amount?: never; readonly units: Units }
) &
  Pick<Receipt, 'label'>;

/**
 * The credits of what was measured, and its receipt; null where there is nothing to write on one.
 *
 * @throws RangeError as `measuredCost`
 */
export function measure(
  feature: FeaturePrice,
  { amount, units, label }: Measured,
): { readonly cost: number; readonly receipt: Receipt | null } {
  const lines = units === undefined ? [] : linesOf(feature, units);
  const receipt: Receipt = { ...(label !== undefined && { label }), ...(lines.length > 0 && { lines }) };
  return {
    cost: units === undefined ? amount : measuredCost(feature, units),
    receipt: Object.keys(receipt).length > 0 ? receipt : null,
  };
}

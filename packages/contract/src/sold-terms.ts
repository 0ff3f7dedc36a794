import { clockTermsOf, type Offer } from './catalog.ts';
import { isPeriod, type Period } from './period.ts';
import type { ClockTerms, SpendLimit } from './schedule.ts';

// How credits that the clock brings, or ends, stand in the provider's metadata: texts, written when they are sold.

/** Credits, or days, beyond this are a typing mistake. */
const MAX_AMOUNT = 1_000_000_000;
/** A hundred years. */
const MAX_DAYS = 36_500;

/** What is sold beside an amount of credits. */
export interface SoldTerms {
  /** The credits come by the clock; absent where each paid invoice brings them. */
  readonly terms?: ClockTerms;
  /** How long a pack's credits last. */
  readonly expiresAfterDays?: number;
}

const KEY = {
  every: 'credits_every',
  rollover: 'credits_rollover',
  limits: 'credits_limits',
  expiresAfterDays: 'credits_expire_days',
} as const;
export type TermsKey = (typeof KEY)[keyof typeof KEY];
/** Without any of these there is nothing to read. */
export const TERMS_KEYS: readonly TermsKey[] = Object.values(KEY);

/** The metadata of what is sold; undefined for a key that has to be absent. */
export function writeTerms({
  terms,
  expiresAfterDays,
}: SoldTerms): Readonly<Record<TermsKey, string | undefined>> {
  const limits = terms?.limits?.map(({ amount, every }) => `${amount}/${every}`).join(',');
  return {
    [KEY.every]: terms?.every,
    [KEY.rollover]: terms?.rollover === undefined ? undefined : String(terms.rollover),
    [KEY.limits]: limits === '' ? undefined : limits,
    [KEY.expiresAfterDays]: expiresAfterDays === undefined ? undefined : String(expiresAfterDays),
  };
}

/** Reads what `writeTerms` wrote, or a person typed. Illegal values are left out; it never throws. */
export function readTerms(text: (key: TermsKey) => string | undefined): SoldTerms {
  const every = readPeriod(text(KEY.every));
  const rollover = readNumber(text(KEY.rollover), MAX_AMOUNT);
  const limits = readLimits(text(KEY.limits));
  const expiresAfterDays = readNumber(text(KEY.expiresAfterDays), MAX_DAYS);
  return {
    ...(every !== undefined && {
      terms: {
        every,
        ...(rollover !== undefined && rollover > 0 && { rollover }),
        ...(limits.length > 0 && { limits }),
      },
    }),
    ...(expiresAfterDays !== undefined && expiresAfterDays > 0 && { expiresAfterDays }),
  };
}

/** The terms on which the catalogue sells an offer's credits now. */
export function termsOfOffer(offer: Offer): SoldTerms {
  if (offer.kind === 'pack') {
    const { expiresAfterDays } = offer;
    return expiresAfterDays === undefined ? {} : { expiresAfterDays };
  }
  const credits = clockTermsOf(offer);
  if (credits === null) return {};
  const { amount: _, ...terms } = credits;
  return { terms };
}

/** The terms of so many of a price: who pays for three carries over three times as much. */
export function timesTerms(terms: ClockTerms, quantity: number): ClockTerms {
  if (quantity === 1) return terms;
  const times = (amount: number) => Math.min(amount * quantity, MAX_AMOUNT);
  return {
    ...terms,
    ...(terms.rollover !== undefined && { rollover: times(terms.rollover) }),
    ...(terms.limits !== undefined && {
      limits: terms.limits.map(({ amount, every }) => ({ amount: times(amount), every })),
    }),
  };
}

function readPeriod(text: string | undefined): Period | undefined {
  return isPeriod(text) ? text : undefined;
}

/** None at all where one of them is illegal: what a person meant cannot be told from the rest. */
function readLimits(text: string | undefined): readonly SpendLimit[] {
  const limits = (text ?? '').split(',').map((limit) => {
    const [amount, every] = limit.trim().split('/');
    return { amount: readNumber(amount, MAX_AMOUNT), every: readPeriod(every) };
  });
  const legal = limits.flatMap(({ amount, every }) =>
    amount === undefined || every === undefined ? [] : [{ amount, every }],
  );
  return legal.length === limits.length ? legal : [];
}

function readNumber(text: string | undefined, most: number): number | undefined {
  const number = /^\d{1,10}$/.test(text ?? '') ? Number(text) : Number.NaN;
  return number <= most ? number : undefined;
}

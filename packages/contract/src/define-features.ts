import * as v from 'valibot';
import type { GatePreset, Rate } from './catalog.ts';
import { byName, Credits, EntitlementName, Gate, optional, strict, wholeNumber } from './catalog-fields.ts';
import { MAX_UNITS, UNIT_NAME } from './measured.ts';

// The features of a catalogue as people write them; catalog.ts says what each field means.

export interface FeatureInput<Entitlement extends string = string> {
  readonly cost?: number;
  readonly hold?: number;
  readonly overdraw?: number;
  readonly rates?: Readonly<Record<string, Rate>>;
  readonly gate?: GatePreset;
  readonly needs?: Entitlement;
}

/** Names are keys in requests and code, and stand in receipts. */
const UnitName = v.pipe(
  v.string('must be the name of a unit'),
  v.regex(UNIT_NAME, 'must be named by a unit of 1 to 40 letters, digits, "_" or "-", a letter first'),
);

const Rates = v.pipe(
  byName(
    UnitName,
    strict({
      credits: Credits(0),
      per: wholeNumber(1, 1_000_000_000, 'a whole number of units from 1'),
    }),
  ),
  v.check(
    (rates) => Object.keys(rates).length <= MAX_UNITS,
    `has more than ${MAX_UNITS} units, which is what a receipt has room for: put some together`,
  ),
);

export const Feature = v.pipe(
  v.strictObject({
    cost: optional(Credits(1)),
    hold: optional(Credits(1)),
    overdraw: optional(Credits(1)),
    rates: optional(Rates),
    gate: optional(Gate),
    needs: optional(EntitlementName),
  }),
  v.check(
    ({ cost, hold }) => cost === undefined || hold === undefined,
    'has a cost and a hold: a call costs a fixed number, or a backend settles what it used of a hold; keep one',
  ),
  v.check(
    ({ hold, overdraw }) => overdraw === undefined || hold !== undefined,
    'has an overdraw and no hold that it could go beyond: add hold: …, the most credits that a call may take, or take it out',
  ),
  v.check(
    ({ hold, rates }) => rates === undefined || hold !== undefined,
    'has rates and no hold: add hold: …, the most credits that a call may take, or take the rates out',
  ),
  v.readonly(),
);

/** What is right field by field and impossible beside the rest of the catalogue, each with the way out. */
export function featureProblems(
  at: string,
  { hold, gate }: FeatureInput,
  gateOfAll: GatePreset,
): readonly string[] {
  const inForce = gate ?? gateOfAll;
  return hold === undefined || inForce === 'metered'
    ? []
    : [
        `${at} has a hold behind the gate "${inForce}", where no backend settles credits: write gate: 'metered', or take the hold out`,
      ];
}

import type { MeasuredSettleRequest, ReserveRequest } from '@extension-billing/contract/api';
import type { FeaturePrice } from '@extension-billing/contract/catalog';
import { type Measured, measuredCost, type Units, unknownUnit } from '@extension-billing/contract/measured';
import { InvalidRequest } from '../http/answer.ts';

// The amounts that a service names, as its requests have them (docs/decisions/reservations.md).

/**
 * What a settle says was used.
 *
 * @param body the request as it came
 * @throws InvalidRequest unless it says so in exactly one way
 */
export function measuredOf({ amount, units, label }: MeasuredSettleRequest, body: unknown): Measured {
  const words = label === undefined ? {} : { label };
  if (amount !== undefined && units === undefined) return { amount, ...words };
  if (amount === undefined && units !== undefined) return { units: wholly(units, body), ...words };
  throw new InvalidRequest('amount: send exactly one of amount and units.');
}

/**
 * How many credits a service would like to be held; null where it leaves that to the catalogue.
 *
 * @param body the request as it came
 * @throws InvalidRequest for both ways at once, and for a unit that the feature has no rate for
 */
export function amountToHold(
  feature: FeaturePrice,
  { amount, units }: Pick<ReserveRequest, 'amount' | 'units'>,
  body: unknown,
): number | null {
  if (units === undefined) return amount ?? null;
  if (amount !== undefined) throw new InvalidRequest('amount: send amount or units, not both.');
  const used = wholly(units, body);
  const unknown = unknownUnit(feature, used);
  if (unknown !== null) throw unknownUnitIn(unknown);
  // Nobody is let begin with nothing: an empty account would work for what the estimate rounds away.
  return Math.max(1, measuredCost(feature, used));
}

export function unknownUnitIn(unit: string): InvalidRequest {
  return new InvalidRequest(`units: the feature has no rate for "${unit}".`);
}

/** Names that every object has (`constructor`) are left out by whoever reads a body; no unit is called so. */
function wholly(units: Units, body: unknown): Units {
  const sent = (body as { readonly units?: object }).units ?? {};
  const left = Object.keys(sent).find((unit) => !Object.hasOwn(units, unit));
  if (left !== undefined) throw unknownUnitIn(left);
  return units;
}

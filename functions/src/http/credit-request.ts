import { costOf, type GatePreset, gateOf, pricing } from '@extension-billing/contract/pricing';
import * as v from 'valibot';
import { Contended } from '../store/commit-credits.ts';
import { Crowded } from '../store/lanes.ts';
import { InvalidRequest, Unavailable } from './answer.ts';
import { IdempotencyKey } from './requests.ts';

/** The `Idempotency-Key` header. @throws InvalidRequest */
export function idempotencyKey(header: unknown): string {
  if (v.is(IdempotencyKey, header)) return header;
  throw new InvalidRequest(
    'Send an Idempotency-Key header: 1 to 128 letters, digits, "_" or "-", a new one for each spend.',
    'idempotency_key_required',
  );
}

/** What the pricing file says of a feature. @throws InvalidRequest where it has none of this name */
export function pricedFeature(feature: string): { readonly gate: GatePreset; readonly cost: number } {
  const gate = gateOf(pricing, feature);
  const cost = costOf(pricing, feature);
  if (gate !== undefined && cost !== undefined) return { gate, cost };
  throw new InvalidRequest('feature: the pricing file has no feature of this name.', 'unknown_feature');
}

/** What was committed; a 503 where others kept writing, or too many wait. */
export async function committed<Decision>(commit: Promise<Decision>): Promise<Decision> {
  try {
    return await commit;
  } catch (error) {
    if (error instanceof Crowded) {
      throw new Unavailable('Too many requests wait here; send the very same request again.', 1, error);
    }
    if (!(error instanceof Contended)) throw error;
    throw new Unavailable('The balance is busy; send the very same request again.', 1, error.cause);
  }
}

import * as v from 'valibot';
import {
  MAX_LABEL,
  MAX_QUANTITY,
  MAX_UNITS,
  type Receipt as PublishedReceipt,
  UNIT_NAME,
} from './measured.ts';
import type { Holds, Output, Same } from './schema.ts';

// The receipt of a measured spend, as ledger entries keep it and GET /credits/usage shows it.

/**
 * Pages and terminals show such a text as it is, so no control characters; and no half of a surrogate pair, which no
 * database takes: a text that was cut at so many characters may end in one.
 */
const TEXT = /^(?:[ -~\u00a0-\ud7ff\ue000-\uffff]|[\ud800-\udbff][\udc00-\udfff])+$/;
export const Label = v.pipe(v.string(), v.regex(TEXT), v.maxLength(MAX_LABEL));
/** The same for why somebody did something: not blank. */
export const Words = v.pipe(
  v.string(),
  v.regex(/^(?=.*\S)(?:[ -~\u00a0-\ud7ff\ue000-\uffff]|[\ud800-\udbff][\udc00-\udfff])+$/),
  v.maxLength(500),
);
export const UnitName = v.pipe(v.string(), v.regex(UNIT_NAME));
export const Quantity = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(MAX_QUANTITY));
const Whole = v.pipe(v.number(), v.integer(), v.minValue(0));

const rate = { credits: Whole, per: v.pipe(Whole, v.minValue(1)) };
/** What units cost, by their names. */
export const Rates = v.record(UnitName, v.object(rate));

export const Receipt = v.object({
  label: v.exactOptional(Label),
  lines: v.exactOptional(
    v.pipe(v.array(v.object({ unit: UnitName, quantity: Quantity, ...rate })), v.maxLength(MAX_UNITS)),
  ),
});

export type ReceiptSchemaHolds = Holds<Same<Output<typeof Receipt>, PublishedReceipt>>;

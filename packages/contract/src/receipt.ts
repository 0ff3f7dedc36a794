import * as v from 'valibot';
import { MAX_UNITS, type Receipt as PublishedReceipt, UNIT_NAME } from './measured.ts';
import type { Holds, Output, Same } from './schema.ts';

// The receipt of a measured spend, as ledger entries keep it and GET /credits/usage shows it.

const MAX_LABEL = 120;

/** Control characters are no text, and pages and terminals show a label as it is. */
export const Label = v.pipe(v.string(), v.regex(/^[ -~\u00a0-\uffff]+$/), v.maxLength(MAX_LABEL));
export const UnitName = v.pipe(v.string(), v.regex(UNIT_NAME));
/** More of anything than a call can use, and little enough for whole numbers. */
export const Quantity = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1_000_000_000_000));
const Whole = v.pipe(v.number(), v.integer(), v.minValue(0));

export const Receipt = v.object({
  label: v.exactOptional(Label),
  lines: v.exactOptional(
    v.pipe(
      v.array(
        v.object({ unit: UnitName, quantity: Quantity, credits: Whole, per: v.pipe(Whole, v.minValue(1)) }),
      ),
      v.maxLength(MAX_UNITS),
    ),
  ),
});

export type ReceiptSchemaHolds = Holds<Same<Output<typeof Receipt>, PublishedReceipt>>;

import * as v from 'valibot';

/** A count of tokens as an upstream says it. */
export const Tokens = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(Number.MAX_SAFE_INTEGER));

/** What a text holds of a schema; null where it is no JSON, or none of that form. */
export function parseJson<Schema extends v.GenericSchema>(
  schema: Schema,
  text: string,
): v.InferOutput<Schema> | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const { success, output } = v.safeParse(schema, value);
  return success ? output : null;
}

import { invalidRequest } from '../http/errors.ts';

/**
 * Metadata after a request's changes: an empty value removes its key, the empty string removes them all.
 * Limits as Stripe's: 50 keys, keys of 40 characters, values of 500.
 */
export function mergedMetadata(
  before: Record<string, string> | null,
  change: Record<string, string | number | null> | '' | null | undefined,
): Record<string, string> {
  if (change === undefined || change === null) return { ...before };
  if (change === '') return {};
  const after: Record<string, string> = { ...before };
  for (const [key, value] of Object.entries(change)) {
    if (key.length > 40)
      throw invalidRequest(
        `Metadata keys can be at most 40 characters. You passed in a key that was ${key.length} characters. Invalid key: ${key}`,
        'metadata',
      );
    const text = String(value ?? '');
    if (text.length > 500)
      throw invalidRequest(
        `Metadata values can have up to 500 characters, but you passed in a value that is ${text.length} characters. Invalid value: ${text}`,
        `metadata[${key}]`,
      );
    if (text === '') delete after[key];
    else after[key] = text;
  }
  const count = Object.keys(after).length;
  if (count > 50)
    throw invalidRequest(`You can have up to 50 metadata keys. You passed in ${count}.`, 'metadata');
  return after;
}

import { randomInt } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `length` characters that an id, a secret or a fingerprint can be made of. */
export function randomToken(length: number): string {
  let token = '';
  for (let i = 0; i < length; i += 1) token += ALPHABET[randomInt(ALPHABET.length)] ?? '';
  return token;
}

/** A new id such as `cus_9s6XKzkNRiz8i3`, as long as Stripe's own for that prefix. */
export function newId(prefix: string, length = 24): string {
  return `${prefix}_${randomToken(length)}`;
}

/** The id behind a field that may hold an id, an expanded object, or nothing. */
export function idOf(reference: string | { id: string } | null | undefined): string | null {
  if (reference === null || reference === undefined) return null;
  return typeof reference === 'string' ? reference : reference.id;
}

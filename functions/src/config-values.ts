import * as v from 'valibot';

/** How each kind of setting is written in the environment. The messages never repeat a value. */

const text = (fallback: string) => v.pipe(v.optional(v.string(), fallback), v.trim());

/** "true" or "false"; absent or empty is the default. */
export const booleanText = (fallback: boolean) =>
  v.pipe(
    text(''),
    v.transform((value) => (value === '' ? String(fallback) : value.toLowerCase())),
    v.picklist(['true', 'false'], 'must be true or false'),
    v.transform((value) => value === 'true'),
  );

/** A whole number within bounds; absent or empty is the default. */
export const wholeNumber = (fallback: number, min: number, max: number, meaning: string) =>
  v.pipe(
    text(''),
    v.transform((value) => (value === '' ? String(fallback) : value)),
    v.regex(/^\d{1,9}$/, `must be a whole number from ${min} to ${max} (${meaning})`),
    v.transform(Number),
    v.check(
      (value) => value >= min && value <= max,
      `must be a whole number from ${min} to ${max} (${meaning})`,
    ),
  );

/** Values separated by commas, each of one form; absent or empty is none. */
export const commaList = (form: RegExp, meaning: string) =>
  v.pipe(
    text(''),
    v.transform((value) =>
      value
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    ),
    v.check((items) => items.every((item) => form.test(item)), `must be ${meaning}`),
  );

/** An absolute address that a browser may be sent to: https, or http on this machine. */
export const absoluteUrl = (meaning: string) =>
  v.pipe(
    text(''),
    v.check(isReturnUrl, `must be an absolute https address (http only on localhost): ${meaning}`),
  );

/** The origin of a server on this machine, or null when absent: no secret key may leave to another one. */
export const loopbackBase = (meaning: string) =>
  v.pipe(
    text(''),
    v.transform((value) => (value === '' ? null : value)),
    v.check(
      (value) => value === null || isLoopbackOrigin(value),
      `must be an address on this machine such as http://127.0.0.1:4242 (${meaning})`,
    ),
    v.transform((value) => (value === null ? null : new URL(value).origin)),
  );

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

function isReturnUrl(value: string): boolean {
  const url = URL.parse(value);
  if (url === null || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.includes(url.hostname));
}

function isLoopbackOrigin(value: string): boolean {
  const url = URL.parse(value);
  if (url === null || !LOOPBACK.includes(url.hostname)) return false;
  return ['http:', 'https:'].includes(url.protocol) && url.pathname === '/' && url.search === '';
}

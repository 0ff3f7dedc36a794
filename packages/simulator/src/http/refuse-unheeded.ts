import { invalidRequest } from './errors.ts';
import { HEEDED } from './heeded.ts';
import type { Operation } from './operations.ts';
import type { ParamMap, ParamValue } from './validate.ts';

/** What every list takes, and every call. */
const EVERYWHERE = ['ending_before', 'expand', 'limit', 'starting_after'];

/** Heeded paths, each with the values that alone are heeded; null for any. */
type Heeded = ReadonlyMap<string, readonly string[] | null>;

function parse(text: string): Heeded {
  const entries = text.split(' ').map((entry) => {
    const [path = '', values] = entry.replace('~', '').split('=');
    return [path, values?.split('|') ?? null] as const;
  });
  return new Map([...EVERYWHERE.map((path) => [path, null] as const), ...entries]);
}

const heededBy = new Map(
  Object.entries(HEEDED).map(([operation, text]) => [operation, parse(text)] as const),
);

const isMap = (value: ParamValue): value is ParamMap => typeof value === 'object' && !Array.isArray(value);

function refuse(operation: Operation, param: string, value?: ParamValue): never {
  const what = value === undefined ? `\`${param}\`` : `\`${param}=${value}\``;
  throw invalidRequest(
    `The simulator does not implement ${what} of ${operation}, which Stripe has. Leave it out here, or try it with a test key of your own.`,
    param,
  );
}

/** `shown` is the path with its indices, as Stripe names parameters; `path` the one without. */
function check(operation: Operation, heeded: Heeded, value: ParamValue, path: string, shown: string): void {
  const values = heeded.get(path);
  if (values === null) return;
  if (values !== undefined) {
    if (!values.includes(String(value))) refuse(operation, shown, value);
    return;
  }
  const leadsFurther = path === '' || [...heeded.keys()].some((known) => known.startsWith(`${path}.`));
  if (!leadsFurther) refuse(operation, shown);
  if (Array.isArray(value)) {
    for (const [index, inner] of value.entries()) check(operation, heeded, inner, path, `${shown}[${index}]`);
  } else if (isMap(value)) {
    for (const [key, inner] of Object.entries(value))
      if (path === '') check(operation, heeded, inner, key, key);
      else check(operation, heeded, inner, `${path}.${key}`, `${shown}[${key}]`);
  } else if (value !== '') refuse(operation, shown);
}

/**
 * Refuses what Stripe would heed and the simulator would not: nothing that is sent is silently dropped.
 * @throws StripeApiError 400 naming the parameter.
 */
export function refuseUnheeded(operation: Operation, params: ParamMap): void {
  const heeded = heededBy.get(operation);
  if (heeded !== undefined) check(operation, heeded, params, '', '');
}

import { emptyParameter, invalidRequest } from './errors.ts';
import type { FormMap, FormValue } from './form.ts';
import type { RequestSchema } from './parameter-schema.ts';

/** A parameter after its type is known. */
export type ParamValue = string | number | boolean | ParamValue[] | ParamMap;
export interface ParamMap {
  [key: string]: ParamValue;
}

const nested = (path: string, key: string): string => (path === '' ? key : `${path}[${key}]`);

function oneOf(values: string[]): string {
  if (values.length < 2) return values.join('');
  return `one of ${values.slice(0, -1).join(', ')}, or ${values.at(-1)}`;
}

function scalar(value: string, schema: RequestSchema, path: string): ParamValue {
  switch (schema.type) {
    case 'integer':
      if (!/^-?\d+$/.test(value))
        throw invalidRequest(`Invalid integer: ${value}`, path, 'parameter_invalid_integer');
      return Number(value);
    case 'number':
      if (value === '' || Number.isNaN(Number(value)))
        throw invalidRequest(`Invalid decimal: ${value}`, path);
      return Number(value);
    case 'boolean':
      if (value !== 'true' && value !== 'false') throw invalidRequest(`Invalid boolean: ${value}`, path);
      return value === 'true';
    default:
      if (schema.enum !== undefined && !schema.enum.includes(value))
        throw invalidRequest(`Invalid ${path}: must be ${oneOf(schema.enum)}`, path);
      if (schema.maxLength !== undefined && value.length > schema.maxLength)
        throw invalidRequest(
          `Invalid string: ${value.slice(0, 10)}...; must be at most ${schema.maxLength} characters`,
          path,
        );
      return value;
  }
}

/** Which alternative a value means: by its shape, and among the scalars the first that takes it. */
function chosen(value: FormValue, alternatives: RequestSchema[], path: string): ParamValue {
  const kind = typeof value === 'string' ? 'scalar' : Array.isArray(value) ? 'array' : 'object';
  const fitting = alternatives.filter((alternative) =>
    kind === 'scalar'
      ? alternative.type !== 'object' && alternative.type !== 'array'
      : alternative.type === kind,
  );
  let refusal: unknown;
  for (const alternative of fitting) {
    try {
      return typed(value, alternative, path);
    } catch (error) {
      refusal ??= error;
    }
  }
  throw refusal ?? invalidRequest(`Invalid ${kind}`, path);
}

function map(value: FormMap, of: RequestSchema, path: string): ParamMap {
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, typed(inner, of, nested(path, key))]),
  );
}

function object(value: FormMap, schema: RequestSchema, path: string): ParamMap {
  const properties = schema.properties ?? {};
  const unknown = Object.keys(value).filter((key) => !Object.hasOwn(properties, key));
  const [first] = unknown;
  if (first !== undefined) {
    const plural = unknown.length > 1 ? 's' : '';
    const names = unknown.map((key) => nested(path, key)).join(', ');
    throw invalidRequest(
      `Received unknown parameter${plural}: ${names}`,
      nested(path, first),
      'parameter_unknown',
    );
  }
  for (const key of schema.required ?? []) {
    if (value[key] === '') throw emptyParameter(nested(path, key));
    if (value[key] === undefined)
      throw invalidRequest(
        `Missing required param: ${nested(path, key)}.`,
        nested(path, key),
        'parameter_missing',
      );
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      typed(inner, properties[key] ?? {}, nested(path, key)),
    ]),
  );
}

function typed(value: FormValue, schema: RequestSchema, path: string): ParamValue {
  if (schema.anyOf !== undefined) return chosen(value, schema.anyOf, path);
  if (schema.type === 'array') {
    const list = typeof value === 'object' && !Array.isArray(value) ? Object.values(value) : value;
    if (list === '') return [];
    if (!Array.isArray(list)) throw invalidRequest('Invalid array', path);
    return list.map((item, index) => typed(item, schema.items ?? {}, nested(path, String(index))));
  }
  if (schema.type === 'object') {
    if (typeof value === 'string') throw invalidRequest('Invalid object', path);
    const fields: FormMap = Array.isArray(value) ? Object.fromEntries(value.entries()) : value;
    return schema.additionalProperties === undefined
      ? object(fields, schema, path)
      : map(fields, schema.additionalProperties, path);
  }
  if (typeof value !== 'string') throw invalidRequest(`Invalid ${schema.type ?? 'value'}`, path);
  return scalar(value, schema, path);
}

/**
 * Gives a request's parameters their types.
 * @throws StripeApiError 400 with Stripe's own message for an unknown, missing or malformed parameter.
 */
export function validate(form: FormMap, schema: RequestSchema): ParamMap {
  return object(form, schema, '');
}

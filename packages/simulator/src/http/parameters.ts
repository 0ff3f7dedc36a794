import { emptyParameter, invalidRequest } from './errors.ts';

/** What a form-encoded body holds before its types are known: strings, lists and maps of them. */
type FormValue = string | FormValue[] | FormMap;
interface FormMap {
  [key: string]: FormValue;
}

/** `a[b][0][c]` → `['a', 'b', '0', 'c']`; `expand[]` → `['expand', '']`. */
function segmentsOf(name: string): string[] {
  const open = name.indexOf('[');
  if (open < 0) return [name];
  return [
    name.slice(0, open),
    ...[...name.slice(open).matchAll(/\[([^\]]*)\]/g)].map((match) => match[1] ?? ''),
  ];
}

const isMap = (value: FormValue | undefined): value is FormMap =>
  typeof value === 'object' && !Array.isArray(value);

function put(target: FormMap, [head = '', ...rest]: string[], value: string): void {
  const key = head === '' ? String(Object.keys(target).length) : head;
  if (rest.length === 0) {
    target[key] = value;
    return;
  }
  const existing = target[key];
  const inner: FormMap = isMap(existing) ? existing : Object.create(null);
  target[key] = inner;
  put(inner, rest, value);
}

/** A map whose keys are 0…n-1 was a list on the wire. */
function withLists(value: FormValue): FormValue {
  if (!isMap(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, withLists(inner)] as const);
  const isList = entries.length > 0 && entries.every(([key], index) => key === String(index));
  return isList ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}

/** Parses a form-encoded body or query string the way Stripe's API nests it. */
export function parseForm(text: string): FormMap {
  const root: FormMap = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) put(root, segmentsOf(name), value);
  return Object.fromEntries(Object.entries(root).map(([key, value]) => [key, withLists(value)]));
}

/** The part of JSON Schema that request parameters need. An object with `properties` is closed. */
export interface RequestSchema {
  type?: string;
  enum?: string[];
  maxLength?: number;
  items?: RequestSchema;
  properties?: Record<string, RequestSchema>;
  additionalProperties?: RequestSchema;
  required?: string[];
  anyOf?: RequestSchema[];
}

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

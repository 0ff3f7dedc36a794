import { scopesOf } from '@extension-billing/contract/callers';
import { PROBLEMS } from '@extension-billing/contract/problems';
import { ROUTES, type Route } from '@extension-billing/contract/routes';
import type { GenericSchema } from 'valibot';

/** The tables of docs/api.md, each between `<!-- <name>: … -->` and `<!-- end -->`. */
const TABLES = {
  routes: [
    ['route', 'what it does', 'callers', 'request', '200'],
    ...Object.values<Route>(ROUTES).map((route) => [
      `\`${route.method} ${route.path}\``,
      route.summary,
      callersOf(route),
      requestOf(route),
      shapesOf(route.answer),
    ]),
  ],
  problems: [
    ['code', 'status', 'when'],
    ...Object.entries(PROBLEMS).map(([code, { status, when }]) => [`\`${code}\``, String(status), when]),
  ],
} as const satisfies Readonly<Record<string, readonly (readonly string[])[]>>;

/**
 * The page with its tables made anew from the contract.
 *
 * @throws Error where the page has no place for one of them
 */
export function fillTables(page: string): string {
  return Object.entries(TABLES).reduce((filled, [name, rows]) => {
    const place = new RegExp(`(<!-- ${name}: .*? -->\\n)[^]*?(<!-- end -->)`);
    if (!place.test(filled)) throw new Error(`docs/api.md has no place for its table of ${name}`);
    return filled.replace(place, (_, begin: string, end: string) => `${begin}\n${tableOf(rows)}\n\n${end}`);
  }, page);
}

function tableOf([head = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [head, head.map(() => '---'), ...rows].map(line).join('\n');
}

/** Users, and services by the scopes of which one is needed. */
function callersOf({ callers }: Route): string {
  const scopes = scopesOf(callers).map((scope) => `\`${scope}\``);
  return [
    ...(callers.includes('user') ? ['user'] : []),
    ...(callers.includes('provider') ? ['provider'] : []),
    ...(scopes.length > 0 ? [`service (${scopes.join(' or ')})`] : []),
  ].join(', ');
}

function requestOf({ callers, isIdempotent, query, body }: Route): string {
  const parts = [
    callers.includes('provider') ? '`Stripe-Signature`' : 'Bearer',
    ...(isIdempotent === true ? ['`Idempotency-Key`'] : []),
    ...(query === undefined
      ? []
      : [
          Object.keys(query.entries)
            .map((name) => `\`${name}\``)
            .join(', '),
        ]),
    ...(body === 'event' ? ['the event as it came'] : []),
    ...(body === null || body === 'event' || shapeOf(body) === '{}' ? [] : [`\`${shapeOf(body)}\``]),
  ];
  return parts.join('; ');
}

type Described = GenericSchema & {
  readonly entries?: Readonly<Record<string, Described>>;
  readonly options?: readonly Described[];
  readonly literal?: unknown;
};

function shapesOf(schema: Described): string {
  return (schema.options ?? [schema]).map((option) => `\`${shapeOf(option)}\``).join(' or ');
}

/** The names of an object's fields, `?` behind those that may be left out, with the text that a field always has. */
function shapeOf({ entries = {} }: Described): string {
  const fields = Object.entries(entries).map(([name, { type, literal }]) => {
    if (typeof literal === 'string') return `${name}: "${literal}"`;
    return type === 'optional' || type === 'exact_optional' ? `${name}?` : name;
  });
  return `{${fields.join(', ')}}`;
}

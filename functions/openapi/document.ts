import * as api from '@extension-billing/contract/api';
import { scopesOf } from '@extension-billing/contract/callers';
import { type Catalog, offersOf } from '@extension-billing/contract/catalog';
import { USER_HEADER, VERSION_HEADER } from '@extension-billing/contract/headers';
import { type ErrorCode, PROBLEMS } from '@extension-billing/contract/problems';
import { codesOf, ROUTES, type Route, type RouteName } from '@extension-billing/contract/routes';
import { type ObjectEntries, strictObject } from 'valibot';
import { ISO_DAY, ISO_INSTANT } from '../src/credits/usage.ts';
import { type Json, jsonSchemaOf } from './json-schema.ts';

type Documented = readonly [name: RouteName, route: Route];
const routes = Object.entries(ROUTES) as unknown as readonly Documented[];

/**
 * The service as an OpenAPI 3.1 document: routes, requests, answers and refusals from the contract's tables.
 *
 * @param catalog whose lookup keys and features become the only values of their fields; null for any, so that the
 *   document doesn't depend on what an owner sells
 */
export function makeDocument(catalog: Catalog | null): Json {
  return {
    openapi: '3.1.1',
    info: {
      title: 'extension-billing',
      version: '1.0.0',
      summary: 'Subscriptions and credits for a browser extension.',
      description:
        'Every refusal is `application/problem+json` with a stable `code`. A path that is not here is a 404 `not_found`, a method that is not here a 405 `method_not_allowed` with `Allow`. In words: docs/api.md.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      {
        url: 'http://127.0.0.1:5001/demo-extension-billing/us-central1/api',
        description: 'The local suite (npm start)',
      },
      {
        url: 'https://{region}-{project}.cloudfunctions.net/api',
        description: 'A deployed function',
        variables: { region: { default: 'us-central1' }, project: { default: 'your-project' } },
      },
    ],
    tags: [
      { name: 'billing', description: 'Buying, through the provider’s hosted pages.' },
      { name: 'credits', description: 'Spending and reading credits.' },
      { name: 'grants', description: 'What the owner’s services give by hand.' },
      { name: 'account', description: 'The account itself.' },
    ],
    paths: Object.fromEntries(routes.map((named) => [named[1].path, pathItem(named)])),
    components: {
      securitySchemes: {
        idToken: { type: 'http', scheme: 'bearer', description: 'A Firebase ID token of the project.' },
        service: {
          type: 'http',
          scheme: 'bearer',
          description:
            'For a backend of the owner’s: a key of `billing keys create`, or the ID token of a Google service account that is configured. The roles are the scopes of which it needs one.',
        },
        signature: {
          type: 'apiKey',
          in: 'header',
          name: 'Stripe-Signature',
          description: 'The provider’s signature over the body, made with the endpoint’s signing secret.',
        },
      },
      parameters,
      headers,
      responses: Object.fromEntries(
        routes.flatMap(([, route]) =>
          refusalsOf(route).map((codes) => [responseName(codes), problemResponse(codes)]),
        ),
      ),
      schemas: {
        ...Object.fromEntries(
          routes.flatMap(([, route]) => bodyComponent(route, catalog === null ? {} : namesOf(catalog))),
        ),
        ...Object.fromEntries(routes.map(([, { answer }]) => [nameOf(answer), jsonSchemaOf(answer)])),
        ProviderEvent: {
          type: 'object',
          description: 'An event object of the provider, as it sends it.',
          required: ['id', 'type', 'created', 'data'],
          properties: {
            id: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[^/]+$' },
            type: { type: 'string' },
            created: { type: 'integer', minimum: 0, description: 'Seconds since the epoch.' },
            data: { type: 'object', required: ['object'], properties: { object: { type: 'object' } } },
          },
        },
        Problem: problemComponent,
      },
    },
  };
}

/** What all problems have. */
const problemComponent: Json = {
  type: 'object',
  description: 'RFC 9457. Branch on `code`; `detail` says what went wrong and what to do next.',
  required: ['type', 'title', 'status', 'code', 'detail'],
  properties: {
    type: { type: 'string', format: 'uri', pattern: '^urn:extension-billing:problem:' },
    title: { type: 'string' },
    status: { type: 'integer' },
    code: { type: 'string', enum: Object.keys(PROBLEMS).toSorted() },
    detail: { type: 'string' },
  },
};

const headers: Readonly<Record<string, Json>> = {
  'Cache-Control': { required: true, schema: { const: 'no-store' } },
  'X-Correlation-Id': {
    required: true,
    description: 'The name of the request: the one that was sent, or a new one.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{8,64}$' },
  },
  'Retry-After': {
    required: true,
    description: 'Seconds to wait before the same request is sent again.',
    schema: { type: 'integer', minimum: 1 },
  },
  'WWW-Authenticate': { required: true, schema: { const: 'Bearer' } },
  [VERSION_HEADER]: {
    description:
      'What the service knows of the record now, sealed for this user: sent back with their next request of credits, it saves a look at the database. Opaque, of use for ten minutes, and absent where nothing is known.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_-]+$' },
  },
};

/** The headers that a status always comes with. */
const HEADERS_OF: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  502: ['Retry-After'],
  503: ['Retry-After'],
};

function headerRefs(names: readonly string[]): Json {
  return Object.fromEntries(
    ['Cache-Control', 'X-Correlation-Id', ...names].map((name) => [
      name,
      { $ref: `#/components/headers/${name}` },
    ]),
  );
}

const parameters = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    description: 'A new one for each spend; the same one to ask again for the same answer.',
    schema: jsonSchemaOf(api.IdempotencyKey),
    example: 'summary-of-page-1',
  },
  BillingUser: {
    name: USER_HEADER,
    in: 'header',
    description:
      'The uid of the user for whom a service acts. A service has to send it; a user’s own request may not.',
    schema: { type: 'string', minLength: 1, maxLength: 128 },
  },
  BillingVersion: {
    name: VERSION_HEADER,
    in: 'header',
    description:
      'The header of this name of the last answer of credits for this user, as it came. Anything else is passed over.',
    schema: { type: 'string' },
  },
  CorrelationId: {
    name: 'X-Correlation-Id',
    in: 'header',
    description:
      'A name for this request, 8 to 64 of `A-Za-z0-9_-`: its log line, its ledger entry and its answer carry it. Another text, or none, is replaced by a new one.',
    schema: { type: 'string' },
  },
  UsageFrom: instantParameter('from', 'A day in UTC, from its start, or an instant with its offset.'),
  UsageTo: instantParameter(
    'to',
    'A day in UTC, to its end, or an instant with its offset, which is excluded.',
  ),
  UsageCursor: {
    name: 'cursor',
    in: 'query',
    description: 'The `next` of the page before, as it is.',
    schema: jsonSchemaOf(api.UsageQuery.entries.cursor),
  },
  UsageLimit: {
    name: 'limit',
    in: 'query',
    schema: { ...(jsonSchemaOf(api.UsageLimit) as object), default: api.DEFAULT_USAGE_ENTRIES },
  },
  PricesCurrency: {
    name: 'currency',
    in: 'query',
    description: 'The one that the buyer would like to pay in.',
    schema: jsonSchemaOf(api.PricesQuery.entries.currency),
    example: 'eur',
  },
} satisfies Readonly<Record<string, Json>>;

type ParameterName = keyof typeof parameters;

/** The parameter of each field of each query: the compiler refuses a route whose query is not here. */
const QUERIES: {
  readonly [Name in RouteName as (typeof ROUTES)[Name] extends { readonly query: object }
    ? Name
    : never]: (typeof ROUTES)[Name] extends { readonly query: { readonly entries: infer Entries } }
    ? Readonly<Record<keyof Entries, ParameterName>>
    : never;
} = {
  readPrices: { currency: 'PricesCurrency' },
  readUsage: { from: 'UsageFrom', to: 'UsageTo', cursor: 'UsageCursor', limit: 'UsageLimit' },
};

function parametersOf([name, { isIdempotent, version, callers }]: Documented): readonly ParameterName[] {
  const query: Readonly<Record<string, ParameterName>> =
    name in QUERIES ? QUERIES[name as keyof typeof QUERIES] : {};
  return [
    ...(isIdempotent === true ? (['IdempotencyKey'] as const) : []),
    ...Object.values(query),
    ...(scopesOf(callers).length > 0 ? (['BillingUser'] as const) : []),
    ...(version === 'carried' ? (['BillingVersion'] as const) : []),
    'CorrelationId',
  ];
}

function instantParameter(name: 'from' | 'to', description: string): Json {
  const schema = {
    anyOf: [
      { type: 'string', format: 'date', pattern: ISO_DAY.source },
      { type: 'string', format: 'date-time', pattern: ISO_INSTANT.source },
    ],
  };
  return { name, in: 'query', description, schema, example: '2026-11-21' };
}

function pathItem(documented: Documented): Json {
  const [operationId, route] = documented;
  const { method, path, summary, description, callers, version, body, answer } = route;
  return {
    [method.toLowerCase()]: {
      operationId,
      tags: [path.split('/')[1] ?? ''],
      summary,
      description,
      security: securityOf(callers),
      parameters: parametersOf(documented).map((name) => ({ $ref: `#/components/parameters/${name}` })),
      ...(body !== null && { requestBody: requestBody(body) }),
      responses: {
        '200': {
          description: 'Done.',
          headers: headerRefs(version === undefined ? [] : [VERSION_HEADER]),
          content: { 'application/json': { schema: { $ref: `#/components/schemas/${nameOf(answer)}` } } },
          ...(operationId === 'reserveCredits' && { links }),
        },
        ...Object.fromEntries(
          refusalsOf(route).map((codes) => [
            String(statusOf(codes)),
            { $ref: `#/components/responses/${responseName(codes)}` },
          ]),
        ),
      },
    },
  };
}

/** Any one of these lets a request through. */
function securityOf(callers: Route['callers']): Json {
  return [
    ...(callers.includes('user') ? [{ idToken: [] }] : []),
    ...(callers.includes('provider') ? [{ signature: [] }] : []),
    ...scopesOf(callers).map((scope) => ({ service: [scope] })),
  ];
}

/** What a reservation can be followed by. */
const links: Json = Object.fromEntries(
  (['confirmReservation', 'releaseReservation'] satisfies RouteName[]).map((operationId) => [
    operationId,
    { operationId, requestBody: { reservation: '$response.body#/reservation' } },
  ]),
);

/** A schema's name in the document: the one that it is exported under. */
function nameOf(schema: Route['answer']): string {
  const named = Object.entries(api).find(([, exported]) => exported === schema);
  if (named === undefined) throw new Error('a route has a schema that api.ts does not export');
  return named[0];
}

function requestBody(body: Exclude<Route['body'], null>): Json {
  const name = body === 'event' ? 'ProviderEvent' : nameOf(body);
  return {
    // A body that takes no field at all may be left out.
    required: body !== api.NoFields,
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
  };
}

type Names = Readonly<Record<string, readonly string[]>>;

/** The names that a route looks up in the catalogue, as the only values of their fields. */
function namesOf(catalog: Catalog): Names {
  return {
    feature: Object.keys(catalog.features),
    lookup_key: offersOf(catalog).map(({ lookupKey }) => lookupKey),
  };
}

function bodyComponent({ body }: Route, named: Names): readonly (readonly [string, Json])[] {
  if (body === null || body === 'event') return [];
  const schema = jsonSchemaOf(body) as { readonly properties: Readonly<Record<string, object>> };
  const properties = Object.entries(schema.properties).map(([name, field]) => [
    name,
    name in named ? { ...field, enum: named[name] } : field,
  ]);
  return [[nameOf(body), { ...schema, properties: Object.fromEntries(properties) } as Json]];
}

/** The codes of a route's refusals, one entry per status. */
function refusalsOf(route: Route): readonly (readonly ErrorCode[])[] {
  return [...Map.groupBy(codesOf(route), (code) => PROBLEMS[code].status).values()].map((codes) =>
    codes.toSorted(),
  );
}

const statusOf = ([code]: readonly ErrorCode[]): number => (code === undefined ? 0 : PROBLEMS[code].status);

/** Routes that refuse for the same reasons share one response: `CreditsExhaustedOrFreeCeilingReached`. */
function responseName(codes: readonly ErrorCode[]): string {
  const words = codes.map((code) =>
    code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  );
  return words.join('Or');
}

function problemResponse(codes: readonly ErrorCode[]): Json {
  const status = statusOf(codes);
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join('\n'),
    headers: headerRefs(HEADERS_OF[status] ?? []),
    content: { 'application/problem+json': { schema: problemSchema(status, codes) } },
  };
}

function problemSchema(status: number, codes: readonly ErrorCode[]): Json {
  const fields: ObjectEntries = Object.assign(
    {},
    ...codes.map((code) => ('fields' in PROBLEMS[code] ? PROBLEMS[code].fields : {})),
  );
  const { properties, required } = jsonSchemaOf(strictObject(fields)) as Readonly<Record<string, Json>>;
  return {
    allOf: [{ $ref: '#/components/schemas/Problem' }],
    properties: { status: { const: status }, code: { enum: [...codes].sort() }, ...(properties as object) },
    ...(Object.keys(fields).length > 0 && { required: required ?? [] }),
    unevaluatedProperties: false,
  };
}

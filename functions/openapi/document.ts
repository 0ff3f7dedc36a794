import { pricing } from '@extension-billing/contract/pricing';
import { ISO_DAY, ISO_INSTANT } from '../src/domain/usage.ts';
import { STATUS_OF } from '../src/errors.ts';
import { DEFAULT_ENTRIES, IdempotencyKey, UsageLimit } from '../src/http/requests.ts';
import { type Json, jsonSchemaOf } from './json-schema.ts';
import { codesOf, OPERATIONS, type Operation } from './operations.ts';
import { problemComponent, problemResponses } from './problems.ts';
import { responses } from './responses.ts';

/**
 * The service as an OpenAPI 3.1 document: requests from the validators that the routes use, answers from
 * responses.ts, refusals from errors.ts, what is sold and metered from the pricing file.
 */
export function makeDocument(): Json {
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
      { name: 'account', description: 'The account itself.' },
    ],
    paths: Object.fromEntries(OPERATIONS.map((operation) => [operation.path, pathItem(operation)])),
    components: {
      securitySchemes: {
        idToken: { type: 'http', scheme: 'bearer', description: 'A Firebase ID token of the project.' },
        signature: {
          type: 'apiKey',
          in: 'header',
          name: 'Stripe-Signature',
          description: 'The provider’s signature over the body, made with the endpoint’s signing secret.',
        },
      },
      parameters,
      headers,
      schemas: {
        ...Object.fromEntries(OPERATIONS.flatMap(bodyComponent)),
        ...Object.fromEntries(
          Object.entries(responses).map(([name, schema]) => [name, jsonSchemaOf(schema)]),
        ),
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
        Problem: problemComponent(codesInOrder),
      },
    },
  };
}

const codesInOrder = Object.keys(STATUS_OF).toSorted();

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
};

function headerRefs(names: readonly string[]): Json {
  return Object.fromEntries(
    ['Cache-Control', 'X-Correlation-Id', ...names].map((name) => [
      name,
      { $ref: `#/components/headers/${name}` },
    ]),
  );
}

const parameters: Readonly<Record<string, Json>> = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    description: 'A new one for each spend; the same one to ask again for the same answer.',
    schema: jsonSchemaOf(IdempotencyKey),
    example: 'summary-of-page-1',
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
    schema: { type: 'string', maxLength: 2100 },
  },
  UsageLimit: {
    name: 'limit',
    in: 'query',
    schema: { ...(jsonSchemaOf(UsageLimit) as object), default: DEFAULT_ENTRIES },
  },
};

function instantParameter(name: 'from' | 'to', description: string): Json {
  const schema = {
    anyOf: [
      { type: 'string', format: 'date', pattern: ISO_DAY.source },
      { type: 'string', format: 'date-time', pattern: ISO_INSTANT.source },
    ],
  };
  return { name, in: 'query', description, schema, example: '2026-11-21' };
}

function pathItem(operation: Operation): Json {
  const { method, id, path, summary, description, caller, body, answer } = operation;
  return {
    [method]: {
      operationId: id,
      tags: [path.split('/')[1] ?? ''],
      summary,
      description,
      security: [caller === 'user' ? { idToken: [] } : { signature: [] }],
      parameters: [...operation.parameters, 'CorrelationId'].map((name) => ({
        $ref: `#/components/parameters/${name}`,
      })),
      ...(body !== null && { requestBody: requestBody(body) }),
      responses: {
        '200': {
          description: 'Done.',
          headers: headerRefs([]),
          content: { 'application/json': { schema: { $ref: `#/components/schemas/${answer}` } } },
          ...(id === 'reserveCredits' && { links }),
        },
        ...problemResponses(codesOf(operation), headerRefs),
      },
    },
  };
}

/** What a reservation can be followed by. */
const links: Json = Object.fromEntries(
  ['confirmReservation', 'releaseReservation'].map((operationId) => [
    operationId,
    { operationId, requestBody: { reservation: '$response.body#/reservation' } },
  ]),
);

function requestBody(body: Exclude<Operation['body'], null>): Json {
  const name = body === 'event' ? 'ProviderEvent' : body.name;
  return {
    // A body that takes no field at all may be left out.
    required: name !== 'NoFields',
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
  };
}

/** The names that a route looks up in the pricing file, as the only values of their fields. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  feature: Object.keys(pricing.features),
  lookup_key: [...pricing.plans, ...pricing.packs].map(({ lookupKey }) => lookupKey),
};

function bodyComponent({ body }: Operation): readonly (readonly [string, Json])[] {
  if (body === null || body === 'event') return [];
  const schema = jsonSchemaOf(body.schema) as { readonly properties: Readonly<Record<string, object>> };
  const properties = Object.entries(schema.properties).map(([name, field]) => [
    name,
    name in NAMED ? { ...field, enum: NAMED[name] } : field,
  ]);
  return [[body.name, { ...schema, properties: Object.fromEntries(properties) } as Json]];
}

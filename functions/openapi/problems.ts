import type { ErrorCode } from '@extension-billing/contract/api';
import { problem } from '../src/errors.ts';
import { type Json, jsonSchemaOf } from './json-schema.ts';
import { ExhaustedFields } from './responses.ts';

/** The headers that a status always comes with. */
const HEADERS_OF: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  502: ['Retry-After'],
  503: ['Retry-After'],
};

/** The refusals of a route by status: a problem (RFC 9457) whose code is one of those that are met there. */
export function problemResponses(
  codes: readonly ErrorCode[],
  headers: (names: readonly string[]) => Json,
): Readonly<Record<string, Json>> {
  const byStatus = Map.groupBy(codes, (code) => problem(code, '').status);
  return Object.fromEntries(
    [...byStatus].map(([status, met]) => [
      String(status),
      {
        description: met.map((code) => `\`${code}\`: ${problem(code, '').title}.`).join('\n'),
        headers: headers(HEADERS_OF[status] ?? []),
        content: { 'application/problem+json': { schema: problemSchema(status, met) } },
      },
    ]),
  );
}

function problemSchema(status: number, codes: readonly ErrorCode[]): Json {
  const isExhausted = codes.includes('credits_exhausted');
  return {
    allOf: [{ $ref: '#/components/schemas/Problem' }],
    properties: {
      status: { const: status },
      code: { enum: [...codes].sort() },
      ...(isExhausted && jsonPropertiesOf(ExhaustedFields)),
    },
    ...(isExhausted && { required: Object.keys(ExhaustedFields) }),
    unevaluatedProperties: false,
  };
}

function jsonPropertiesOf(fields: typeof ExhaustedFields): Readonly<Record<string, Json>> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, jsonSchemaOf(field)]));
}

/** What all problems have. */
export function problemComponent(codes: readonly string[]): Json {
  return {
    type: 'object',
    description: 'RFC 9457. Branch on `code`; `detail` says what went wrong and what to do next.',
    required: ['type', 'title', 'status', 'code', 'detail'],
    properties: {
      type: { type: 'string', format: 'uri', pattern: '^urn:extension-billing:problem:' },
      title: { type: 'string' },
      status: { type: 'integer' },
      code: { type: 'string', enum: codes },
      detail: { type: 'string' },
    },
  };
}

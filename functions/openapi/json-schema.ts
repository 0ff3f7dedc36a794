import { toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';

/** A part of the document. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/**
 * A validator as JSON Schema 2020-12, the dialect of OpenAPI 3.1: what it takes, before defaults are filled in.
 *
 * @throws Error where the validator checks something that JSON Schema cannot say
 */
export function jsonSchemaOf(schema: GenericSchema): Json {
  const { $schema: _dialect, ...rest } = toJsonSchema(schema, {
    target: 'draft-2020-12',
    typeMode: 'input',
    errorMode: 'throw',
  });
  // Without what only TypeScript sees (undefined members).
  return JSON.parse(JSON.stringify(rest)) as Json;
}

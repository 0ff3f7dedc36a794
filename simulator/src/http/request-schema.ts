import { readFileSync } from 'node:fs';
import type { Operation } from './operations.ts';
import { OVERLAY } from './schema-overlay.ts';

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

const generated: Record<string, RequestSchema> = JSON.parse(
  readFileSync(new URL('../generated/requests.json', import.meta.url), 'utf8'),
);

function overlaid(operation: string, schema: RequestSchema): RequestSchema {
  const overlay = OVERLAY[operation];
  if (overlay === undefined) return schema;
  let overlaidSchema = schema;
  for (const [path, added] of Object.entries(overlay.add ?? {}))
    overlaidSchema = withProperty(overlaidSchema, path.split('.'), added);
  const properties = { ...overlaidSchema.properties };
  for (const name of overlay.remove ?? []) delete properties[name];
  return { ...overlaidSchema, properties };
}

function withProperty(
  schema: RequestSchema,
  [name, ...rest]: readonly string[],
  added: RequestSchema,
): RequestSchema {
  if (name === undefined) return added;
  const inner = withProperty(schema.properties?.[name] ?? { type: 'object' }, rest, added);
  return { ...schema, properties: { ...schema.properties, [name]: inner } };
}

const schemas = new Map(Object.entries(generated).map(([name, schema]) => [name, overlaid(name, schema)]));

/** What an operation accepts: Stripe's own document plus the overlay for the SDK's newer version. */
export function requestSchema(operation: Operation): RequestSchema {
  const schema = schemas.get(operation);
  if (schema === undefined) throw new Error(`${operation} has no schema: run scripts/generate-schemas.ts`);
  return schema;
}

import { readFileSync } from 'node:fs';
import { API_VERSION } from '../state/api-version.ts';
import type { Operation } from './operations.ts';
import type { RequestSchema } from './parameter-schema.ts';
import { OVERLAY, UNDOCUMENTED_SCHEMAS } from './schema-overlay.ts';

const generated: Record<string, RequestSchema> = {
  ...JSON.parse(readFileSync(new URL('../generated/requests.json', import.meta.url), 'utf8')),
  ...UNDOCUMENTED_SCHEMAS,
};

function overlaid(operation: string, schema: RequestSchema, isNewest: boolean): RequestSchema {
  const overlay = OVERLAY[operation];
  if (overlay === undefined) return schema;
  let overlaidSchema = schema;
  const added = { ...overlay.add, ...(isNewest ? overlay.replace : {}) };
  for (const [path, inner] of Object.entries(added))
    overlaidSchema = withProperty(overlaidSchema, path.split('.'), inner);
  const properties = { ...overlaidSchema.properties };
  if (isNewest) for (const name of overlay.remove ?? []) delete properties[name];
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

function all(isNewest: boolean): ReadonlyMap<string, RequestSchema> {
  return new Map(Object.entries(generated).map(([name, schema]) => [name, overlaid(name, schema, isNewest)]));
}

const newest = all(true);
const older = all(false);

/**
 * What an operation accepts: Stripe's own document plus the overlay for the SDK's newer version. A caller that asks
 * for no version, as Stripe's CLI does, may still send what the newer one has removed.
 */
export function requestSchema(operation: Operation, version?: string): RequestSchema {
  const schema = (version === API_VERSION ? newest : older).get(operation);
  if (schema === undefined) throw new Error(`${operation} has no schema: run scripts/generate-schemas.ts`);
  return schema;
}

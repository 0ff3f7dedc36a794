import { readFileSync } from 'node:fs';
import { API_VERSION } from '../state/world.ts';
import type { Operation, UNDOCUMENTED } from './operations.ts';
import type { RequestSchema } from './parameters.ts';

/**
 * What API version 2026-10-28.endive (the one that stripe 23.1 pins) has on top of the document that the
 * schemas are generated from (2026-08-26.dahlia). Each entry is read off the SDK's parameter types.
 */

const pause: RequestSchema = {
  type: 'object',
  properties: {
    duration: {
      type: 'object',
      properties: {
        type: { type: 'string', enum: ['indefinite', 'interval_options'] },
        interval_options: {
          type: 'array',
          items: {
            type: 'object',
            properties: { interval: { type: 'string' }, interval_count: { type: 'integer' } },
          },
        },
      },
    },
    enabled: { type: 'boolean' },
  },
};
const strings: RequestSchema = { type: 'array', items: { type: 'string' } };

const anchor: RequestSchema = {
  type: 'object',
  properties: { type: { type: 'string' }, timestamp: { type: 'integer' } },
  required: ['type'],
};

/** What an operation has on top. A dot in a name leads into a nested object. */
interface Overlay {
  add?: Record<string, RequestSchema>;
  /** Takes the place of an older form, for callers that ask for the newest version. */
  replace?: Record<string, RequestSchema>;
  remove?: string[];
  /** Removed before the document's version; still taken from callers that don't ask for the newest. */
  older?: Record<string, RequestSchema>;
}

const OVERLAY: Record<string, Overlay> = {
  'POST /v1/invoices/create_preview': { replace: { 'subscription_details.billing_cycle_anchor': anchor } },
  'POST /v1/subscriptions/{subscription_exposed_id}': { replace: { billing_cycle_anchor: anchor } },
  'POST /v1/checkout/sessions': {
    add: { allowed_payment_method_types: strings },
    remove: ['payment_method_types'],
  },
  // Stripe's CLI sends it in its triggers.
  'POST /v1/subscription_schedules': { older: { 'phases.iterations': { type: 'integer' } } },
  'POST /v1/billing_portal/configurations': { add: { 'features.subscription_pause': pause } },
  'POST /v1/billing_portal/configurations/{configuration}': { add: { 'features.subscription_pause': pause } },
  'POST /v1/webhook_endpoints': { add: { api_version: { type: 'string' } } },
};

/** What the operations that are in no document take, as far as Stripe's own CLI shows. */
const UNDOCUMENTED_SCHEMAS: Record<(typeof UNDOCUMENTED)[number], RequestSchema> = {
  'GET /v1/payment_pages/{session}': { type: 'object', properties: {} },
  'POST /v1/payment_pages/{session}/confirm': {
    type: 'object',
    properties: { payment_method: { type: 'string' }, expected_amount: { type: 'integer' } },
  },
  'POST /v1/events/{id}/retry': {
    type: 'object',
    properties: {
      account: { type: 'string' },
      for_stripecli: { type: 'boolean' },
      webhook_endpoint: { type: 'string' },
    },
  },
};

const generated: Record<string, RequestSchema> = {
  ...JSON.parse(readFileSync(new URL('../generated/requests.json', import.meta.url), 'utf8')),
  ...UNDOCUMENTED_SCHEMAS,
};

function overlaid(operation: string, schema: RequestSchema, isNewest: boolean): RequestSchema {
  const overlay = OVERLAY[operation];
  if (overlay === undefined) return schema;
  let overlaidSchema = schema;
  const added = { ...overlay.add, ...(isNewest ? overlay.replace : overlay.older) };
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
  if (schema.items !== undefined)
    return { ...schema, items: withProperty(schema.items, [name, ...rest], added) };
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

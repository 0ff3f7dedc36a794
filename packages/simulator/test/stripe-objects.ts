import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';

const text = { type: 'string' };
const maybeText = { anyOf: [text, { type: 'null' }] };
const maybeNumber = { anyOf: [{ type: 'integer' }, { type: 'null' }] };
const maybeMap = { anyOf: [{ type: 'object' }, { type: 'null' }] };

/**
 * What the SDK's types have on top of the document that the schemas are generated from (2026-08-26.dahlia):
 * fields that the document omits although Stripe answers them, and what API version 2026-10-28.endive added.
 * Schema name → field → its schema.
 */
const OBJECT_OVERLAY: Record<string, Record<string, object>> = {
  // Omitted by the document.
  charge: { source: maybeMap },
  payment_intent: { source: maybeText, payment_record: maybeText },
  product: { type: text, tax_details: maybeMap },
  recurring: { trial_period_days: maybeNumber },
  subscription_item: { plan: { type: 'object' }, current_trial: maybeMap },
  subscription_schedule_configuration_item: { plan: text },
  // Newer than the document.
  'checkout.session': {
    allowed_payment_method_types: { anyOf: [{ type: 'array', items: text }, { type: 'null' }] },
  },
  dispute: { intended_submission_method: maybeText },
  dispute_evidence_details: { submission_method: text },
  payment_method_details_card: { electronic_commerce_indicator: maybeText },
  portal_features: { subscription_pause: { type: 'object' } },
  portal_flows_flow: { customer_update: maybeMap, subscription_pause: maybeMap },
  subscription_schedule: { pause_schedules: { type: 'array' } },
  subscriptions_resource_trial_settings_end_behavior: { billing_cycle_anchor: maybeText },
};

interface Schema {
  [key: string]: unknown;
}
interface Generated {
  objects: Record<string, string>;
  $defs: Record<string, Schema>;
}

const isMap = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const generated = JSON.parse(
  readFileSync(new URL('./generated/objects.json', import.meta.url), 'utf8'),
) as Generated;
for (const [name, added] of Object.entries(OBJECT_OVERLAY)) {
  const schema = generated.$defs[name];
  if (schema === undefined || !isMap(schema.properties))
    throw new Error(`The overlay names ${name}, which is not there`);
  for (const [field, fieldSchema] of Object.entries(added)) {
    const path = field.split('.');
    let at: Schema = schema;
    for (const step of path.slice(0, -1)) at = schemaAt(at, step);
    const properties = isMap(at.properties) ? at.properties : {};
    properties[path.at(-1) ?? ''] = fieldSchema;
  }
}

function schemaAt(schema: Schema, field: string): Schema {
  const inner = isMap(schema.properties) ? schema.properties[field] : undefined;
  if (!isMap(inner)) throw new Error(`The overlay names ${field}, which is not there`);
  const [first] = Array.isArray(inner.anyOf) ? inner.anyOf : [inner];
  return isMap(first) ? first : inner;
}

// Compiling is most of what a test file costs: the schemas are generated, and each is used a few times.
const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false, code: { optimize: false } });
ajv.addSchema({ $id: 'stripe', $defs: generated.$defs });
const validators = new Map<string, ValidateFunction>();

function validatorOf(kind: string): ValidateFunction | undefined {
  const reference = generated.objects[kind];
  if (reference === undefined) return undefined;
  const known = validators.get(kind) ?? ajv.compile({ $ref: `stripe${reference}` });
  validators.set(kind, known);
  return known;
}

/** How many objects of each kind have been held to the document. */
const checkedObjects = new Map<string, number>();

/** Kinds that the document has no schema for here: lists and errors are checked by their parts. */
const WITHOUT_SCHEMA = new Set(['list', 'account']);

/**
 * Where a JSON value differs from Stripe's OpenAPI document: every object in it, at any depth, is held to the
 * schema of its own kind. Answers one line per difference.
 */
export function differences(value: unknown, at = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => differences(item, `${at}[${index}]`));
  if (!isMap(value)) return [];
  const kind = value.object;
  const found: string[] = [];
  if (typeof kind === 'string' && value.deleted !== true) {
    const validate = validatorOf(kind);
    if (validate === undefined && !WITHOUT_SCHEMA.has(kind)) found.push(`${at}: no schema for ${kind}`);
    if (validate !== undefined) {
      checkedObjects.set(kind, (checkedObjects.get(kind) ?? 0) + 1);
      if (!validate(value)) {
        for (const error of validate.errors ?? []) {
          if (error.keyword === 'anyOf') continue;
          found.push(`${kind}${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`);
        }
      }
    }
  }
  for (const [key, inner] of Object.entries(value)) found.push(...differences(inner, `${at}.${key}`));
  return [...new Set(found)];
}

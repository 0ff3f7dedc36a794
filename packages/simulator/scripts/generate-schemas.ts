/**
 * Writes src/generated/requests.json (what each operation takes), src/generated/expandable.json (what of each answer
 * can be expanded), src/generated/event-types.json and test/generated/objects.json (what each object looks like; the tests hold every answer and
 * every event to it) from Stripe's OpenAPI document.
 *
 *   node packages/simulator/scripts/generate-schemas.ts path/to/spec3.json
 *
 * The newest whole document that can be had is embedded/openapi/spec3.json in the Go module
 * github.com/stripe/stripe-mock v0.203.0 (MIT). Only facts are taken over (names, types, enums, what is
 * required), none of its prose. What the pinned SDK has on top of it is in src/http/schemas.ts.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { ExpandableField } from '../src/http/expand.ts';
import { OPERATIONS } from '../src/http/operations.ts';

interface Raw {
  [key: string]: unknown;
}
const isRaw = (value: unknown): value is Raw =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const rawAt = (value: unknown, ...path: string[]): Raw => {
  let at: unknown = value;
  for (const key of path) at = isRaw(at) ? at[key] : undefined;
  return isRaw(at) ? at : {};
};

const source = process.argv[2];
if (source === undefined) {
  console.error(
    'Name the OpenAPI document: node packages/simulator/scripts/generate-schemas.ts path/to/spec3.json',
  );
  process.exit(2);
}
const spec: unknown = JSON.parse(readFileSync(source, 'utf8'));
const out = new URL('../src/generated/', import.meta.url);
mkdirSync(out, { recursive: true });

/** A request's schema: objects with named properties are closed, as Stripe's own server treats them. */
function requestSchema(node: Raw): Raw {
  if (Array.isArray(node.anyOf)) return { anyOf: node.anyOf.filter(isRaw).map(requestSchema) };
  if (node.type === 'array') return { type: 'array', items: requestSchema(rawAt(node, 'items')) };
  if (node.type === 'object' || isRaw(node.properties)) {
    if (isRaw(node.additionalProperties))
      return { type: 'object', additionalProperties: requestSchema(node.additionalProperties) };
    const properties = Object.entries(rawAt(node, 'properties')).map(([name, value]) => [
      name,
      isRaw(value) ? requestSchema(value) : {},
    ]);
    return {
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(Array.isArray(node.required) && node.required.length > 0 ? { required: node.required } : {}),
    };
  }
  const open = node['x-stripeBypassValidation'] === true;
  return {
    type: node.type,
    ...(Array.isArray(node.enum) && !open ? { enum: node.enum } : {}),
    ...(typeof node.maxLength === 'number' && node.maxLength < 5000 ? { maxLength: node.maxLength } : {}),
  };
}

function operationSchema(operation: string): Raw {
  const [method = '', path = ''] = operation.split(' ');
  const found = rawAt(spec, 'paths', path, method.toLowerCase());
  if (Object.keys(found).length === 0) throw new Error(`${operation} is not in the document`);
  const body = rawAt(found, 'requestBody', 'content', 'application/x-www-form-urlencoded', 'schema');
  const query = (Array.isArray(found.parameters) ? found.parameters : [])
    .filter(isRaw)
    .filter((parameter) => parameter.in === 'query');
  const fields = Object.fromEntries(
    query.map((parameter) => [String(parameter.name), requestSchema(rawAt(parameter, 'schema'))]),
  );
  const inBody = requestSchema({ type: 'object', ...body });
  const required = [
    ...query.filter((p) => p.required === true).map((p) => p.name),
    ...(Array.isArray(inBody.required) ? inBody.required : []),
  ];
  return {
    type: 'object',
    properties: { ...fields, ...rawAt(inBody, 'properties') },
    ...(required.length > 0 ? { required } : {}),
  };
}

const requests = Object.fromEntries(OPERATIONS.map((operation) => [operation, operationSchema(operation)]));
writeFileSync(new URL('requests.json', out), `${JSON.stringify(requests)}\n`);
console.log(`${OPERATIONS.length} operations written`);

/** The types of events that an endpoint can ask for: an open list in the document, which Stripe's server closes. */
const endpoint = rawAt(spec, 'paths', '/v1/webhook_endpoints', 'post', 'requestBody', 'content');
const body = rawAt(endpoint, 'application/x-www-form-urlencoded', 'schema', 'properties', 'enabled_events');
const eventTypes = rawAt(body, 'items').enum;
if (!Array.isArray(eventTypes)) throw new Error('The document names no types of events');
writeFileSync(new URL('event-types.json', out), `${JSON.stringify(eventTypes)}\n`);
console.log(`${eventTypes.length} types of events written`);

/** Objects that the simulator answers with, by the value of their `object` field. */
const OBJECTS: Record<string, string> = {
  balance_transaction: 'balance_transaction',
  'billing_portal.configuration': 'billing_portal.configuration',
  'billing_portal.session': 'billing_portal.session',
  charge: 'charge',
  'checkout.session': 'checkout.session',
  coupon: 'coupon',
  customer: 'customer',
  customer_balance_transaction: 'customer_balance_transaction',
  discount: 'discount',
  dispute: 'dispute',
  event: 'event',
  invoice: 'invoice',
  invoice_payment: 'invoice_payment',
  invoiceitem: 'invoiceitem',
  item: 'item',
  line_item: 'line_item',
  payment_intent: 'payment_intent',
  payment_method: 'payment_method',
  plan: 'plan',
  price: 'price',
  product: 'product',
  promotion_code: 'promotion_code',
  refund: 'refund',
  subscription: 'subscription',
  subscription_item: 'subscription_item',
  subscription_schedule: 'subscription_schedule',
  'test_helpers.test_clock': 'test_helpers.test_clock',
  webhook_endpoint: 'webhook_endpoint',
};

const REF = '#/components/schemas/';
const needed = new Set<string>();

function nullable(node: Raw, schema: Raw): Raw {
  return node.nullable === true ? { anyOf: [schema, { type: 'null' }] } : schema;
}

/** A field of an object: what can be expanded is an id or some object, which is checked on its own. */
function objectSchema(node: Raw): Raw {
  if (isRaw(node['x-expansionResources']))
    return nullable(node, { anyOf: [{ type: 'string' }, { type: 'object' }] });
  if (typeof node.$ref === 'string') {
    const name = node.$ref.slice(REF.length);
    needed.add(name);
    return nullable(node, { $ref: `#/$defs/${name}` });
  }
  if (Array.isArray(node.anyOf)) return nullable(node, { anyOf: node.anyOf.filter(isRaw).map(objectSchema) });
  if (node.type === 'array')
    return nullable(node, { type: 'array', items: objectSchema(rawAt(node, 'items')) });
  if (isRaw(node.properties)) {
    const properties = Object.entries(node.properties).map(([name, value]) => [
      name,
      isRaw(value) ? objectSchema(value) : {},
    ]);
    return nullable(node, {
      type: 'object',
      properties: Object.fromEntries(properties),
      additionalProperties: false,
      ...(Array.isArray(node.required) && node.required.length > 0 ? { required: node.required } : {}),
    });
  }
  if (node.type === 'object')
    return nullable(node, {
      type: 'object',
      ...(isRaw(node.additionalProperties)
        ? { additionalProperties: objectSchema(node.additionalProperties) }
        : {}),
    });
  return nullable(node, { type: node.type, ...(Array.isArray(node.enum) ? { enum: node.enum } : {}) });
}

/** The schemas that a field or an answer leads to; a deleted object has nothing to expand. */
function targetsOf(node: Raw): string[] {
  const refs = [node, ...(Array.isArray(node.anyOf) ? node.anyOf.filter(isRaw) : [])].map((one) => one.$ref);
  return refs
    .filter((ref) => typeof ref === 'string')
    .map((ref) => ref.slice(REF.length))
    .filter((name) => !name.startsWith('deleted_'));
}

/** Lists on a page of their own: `{object: 'list', data: […]}`. */
const listed = (node: Raw): Raw => rawAt(node, 'properties', 'data', 'items');
const isList = (node: Raw): boolean => Object.keys(listed(node)).length > 0;

/** Objects that the simulator has, in whose fields an expansion can go on. */
const ownSchemas = new Set(Object.values(OBJECTS));
const expandable: Record<string, Record<string, ExpandableField>> = {};

/** What of a schema can be expanded, itself or further in; false where there is nothing. */
function collectExpandable(name: string): boolean {
  if (expandable[name] !== undefined) return Object.keys(expandable[name]).length > 0;
  const fields: Record<string, ExpandableField> = {};
  expandable[name] = fields;
  const schema = rawAt(spec, 'components', 'schemas', name);
  const named = Array.isArray(schema['x-expandableFields']) ? schema['x-expandableFields'].map(String) : [];
  for (const field of named) {
    const node = rawAt(schema, 'properties', field);
    const inner = node.type === 'array' ? rawAt(node, 'items') : isList(node) ? listed(node) : node;
    const isId = isRaw(inner['x-expansionResources']);
    const targets = targetsOf(inner);
    const own = targets.find((target) => ownSchemas.has(target));
    const to = own ?? (isId ? undefined : targets[0]);
    const leadsOn = to !== undefined && collectExpandable(to);
    if (!isId && !isList(node) && !leadsOn) continue;
    fields[field] = {
      kind: isList(node) ? 'list' : isId ? 'id' : 'inside',
      to: to ?? (isId ? (targets[0] ?? null) : null),
    };
  }
  return Object.keys(fields).length > 0;
}

function answerOf(operation: string): { list: boolean; to: string | null } {
  const [method = '', path = ''] = operation.split(' ');
  const schema = rawAt(
    spec,
    'paths',
    path,
    method.toLowerCase(),
    'responses',
    '200',
    'content',
    'application/json',
  );
  const node = rawAt(schema, 'schema');
  const list = isList(node);
  const to = targetsOf(list ? listed(node) : node)[0] ?? null;
  if (to !== null) collectExpandable(to);
  return { list, to };
}

const answers = Object.fromEntries(OPERATIONS.map((operation) => [operation, answerOf(operation)]));
const full = Object.entries(expandable).filter(([, fields]) => Object.keys(fields).length > 0);
const written = { answers, fields: Object.fromEntries(full) };
writeFileSync(new URL('expandable.json', out), `${JSON.stringify(written)}\n`);
console.log(`${full.length} schemas with fields to expand written`);

const defs: Record<string, Raw> = {};
for (const name of Object.values(OBJECTS)) needed.add(name);
for (const name of needed) defs[name] = objectSchema(rawAt(spec, 'components', 'schemas', name));
const objects = Object.fromEntries(Object.entries(OBJECTS).map(([kind, name]) => [kind, `#/$defs/${name}`]));
const testOut = new URL('../test/generated/', import.meta.url);
mkdirSync(testOut, { recursive: true });
writeFileSync(new URL('objects.json', testOut), `${JSON.stringify({ objects, $defs: defs })}\n`);
console.log(`${Object.keys(objects).length} objects written, with ${needed.size} schemas`);

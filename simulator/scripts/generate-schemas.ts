/**
 * Writes src/generated/requests.json (what each operation takes) and test/generated/objects.json (what each
 * object looks like; the tests hold every answer and every event to it) from Stripe's OpenAPI document.
 *
 *   node simulator/scripts/generate-schemas.ts path/to/spec3.json
 *
 * The newest whole document that can be had is embedded/openapi/spec3.json in the Go module
 * github.com/stripe/stripe-mock v0.203.0 (MIT). Only facts are taken over (names, types, enums, what is
 * required), none of its prose. What the pinned SDK has on top of it is in src/http/schema-overlay.ts.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
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
  console.error('Name the OpenAPI document: node simulator/scripts/generate-schemas.ts path/to/spec3.json');
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

/** Objects that the simulator answers with, by the value of their `object` field. */
const OBJECTS: Record<string, string> = {
  'billing_portal.configuration': 'billing_portal.configuration',
  'billing_portal.session': 'billing_portal.session',
  charge: 'charge',
  'checkout.session': 'checkout.session',
  coupon: 'coupon',
  customer: 'customer',
  customer_balance_transaction: 'customer_balance_transaction',
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

const defs: Record<string, Raw> = {};
for (const name of Object.values(OBJECTS)) needed.add(name);
for (const name of needed) defs[name] = objectSchema(rawAt(spec, 'components', 'schemas', name));
const objects = Object.fromEntries(Object.entries(OBJECTS).map(([kind, name]) => [kind, `#/$defs/${name}`]));
const testOut = new URL('../test/generated/', import.meta.url);
mkdirSync(testOut, { recursive: true });
writeFileSync(new URL('objects.json', testOut), `${JSON.stringify({ objects, $defs: defs })}\n`);
console.log(`${Object.keys(objects).length} objects written, with ${needed.size} schemas`);

import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

interface Told {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly responses: Readonly<Record<string, Described>> };
}
interface Operation {
  readonly responses: Readonly<Record<string, Described | { readonly $ref: string }>>;
}
interface Described {
  readonly content: Readonly<Record<string, unknown>>;
}

const ID = 'https://openapi.invalid/';
const told: Told = JSON.parse(readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8'));
// Formats are what the service's own tests look at; schemathesis looks at them too.
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ $id: ID, ...told });
const compiled = new Map<string, ValidateFunction>();

/**
 * Holds an answer of the service to docs/openapi.json: its status is one that the route has, its media type and body
 * are as described there. Paths and methods that the document does not have are left alone.
 *
 * @throws Error that names the route and what does not fit
 */
export function holdAnswer(
  method: string,
  url: string,
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  body: unknown,
): void {
  const { pathname } = new URL(url);
  const path = Object.keys(told.paths).find((known) => pathname.endsWith(known));
  const operation = path === undefined ? undefined : told.paths[path]?.[method.toLowerCase()];
  if (path === undefined || operation === undefined) return;
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  const response = operation.responses[status];
  const shared = response !== undefined && '$ref' in response ? response.$ref.split('/').at(-1) : undefined;
  const at =
    shared === undefined
      ? ['paths', path, method.toLowerCase(), 'responses', String(status)]
      : ['components', 'responses', shared];
  const place = [...at, 'content', type, 'schema'];
  const route = `${method} ${path}`;
  const described = shared === undefined ? response : told.components.responses[shared];
  if (described === undefined || !('content' in described) || described.content[type] === undefined) {
    throw new Error(`docs/openapi.json knows no ${status} of ${type} at ${route}: ${JSON.stringify(body)}`);
  }
  const pointer = place.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')));
  const validate = compiled.get(place.join(' ')) ?? ajv.compile({ $ref: `${ID}#/${pointer.join('/')}` });
  compiled.set(place.join(' '), validate);
  if (validate(body)) return;
  const why = ajv.errorsText(validate.errors);
  throw new Error(
    `${status} at ${route} is not as docs/openapi.json says: ${why} in ${JSON.stringify(body)}`,
  );
}

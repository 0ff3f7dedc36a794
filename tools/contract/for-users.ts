import type { Json } from '../../functions/openapi/json-schema.ts';

interface Operation {
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters: readonly { readonly $ref: string }[];
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<
      Record<string, object> & { readonly ReserveRequest: { readonly properties: object } }
    >;
  };
}

/** What a reserve takes of services alone. */
const OF_SERVICES: readonly string[] = ['amount', 'units', 'attempt'];

/**
 * The document as it is for users and the provider, who send all requests here: without the routes of services alone,
 * and without what only a service may say, which a user is refused for. Who may call what is functions/test/callers.
 */
export function forUsers(document: Json): Json {
  const { paths, components, ...rest } = document as unknown as Document & Readonly<Record<string, Json>>;
  const { ReserveRequest, ...schemas } = components.schemas;
  const routes = Object.entries(paths).flatMap(([path, operations]) => {
    const ofUsers = Object.entries(operations).filter(
      ([, { security }]) => !security.every((way) => 'service' in way),
    );
    const shown = ofUsers.map(([method, operation]) => [method, withoutUser(operation)] as const);
    return shown.length === 0 ? [] : [[path, Object.fromEntries(shown)] as const];
  });
  const properties = Object.fromEntries(
    Object.entries(ReserveRequest.properties).filter(([name]) => !OF_SERVICES.includes(name)),
  );
  return JSON.parse(
    JSON.stringify({
      ...rest,
      paths: Object.fromEntries(routes),
      components: {
        ...components,
        schemas: { ...schemas, ReserveRequest: { ...ReserveRequest, properties } },
      },
    }),
  ) as Json;
}

function withoutUser(operation: Operation): Operation {
  const parameters = operation.parameters.filter(({ $ref }) => !$ref.endsWith('/BillingUser'));
  return { ...operation, parameters };
}

import type { World } from '../state/world.ts';
import type { Operation } from './operations.ts';

/** What a handler gets: parameters that have passed the operation's schema, and the ids in the path. */
export interface Call<Params> {
  world: World;
  params: Params;
  /** The path's parameters, by the name in the operation. */
  id: (name: string) => string;
  path: string;
}

export interface Route {
  operation: Operation;
  method: string;
  pattern: RegExp;
  names: string[];
  /** Also answers these: paths that mean the same. */
  handle: (call: Call<never>) => object;
}

/**
 * An operation and what answers it. `Params` is the SDK's own type for the operation's parameters: the
 * schema that the request is checked against before says the same.
 */
export function route<Params>(operation: Operation, handle: (call: Call<Params>) => object): Route {
  const [method = '', path = ''] = operation.split(' ');
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`);
  return { operation, method, pattern, names, handle };
}

export interface Matched {
  route: Route;
  ids: Record<string, string>;
}

/** The route for a method and path, or null where Stripe (or this simulator) has none. */
export function match(routes: readonly Route[], method: string, path: string): Matched | null {
  for (const candidate of routes) {
    if (candidate.method !== method) continue;
    const found = candidate.pattern.exec(path);
    if (found === null) continue;
    const ids = candidate.names.map((name, index) => [name, decodeURIComponent(found[index + 1] ?? '')]);
    return { route: candidate, ids: Object.fromEntries(ids) };
  }
  return null;
}

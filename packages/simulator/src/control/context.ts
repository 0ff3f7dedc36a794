import type { Faults } from '../http/faults.ts';
import type { IdempotencyKeys } from '../http/idempotency.ts';
import type { World } from '../state/world.ts';
import type { Dispatcher } from '../webhooks/dispatcher.ts';
import type { JsonObject } from './json.ts';

/** What the control routes steer. */
export interface ControlContext {
  world: World;
  dispatcher: Dispatcher;
  keys: IdempotencyKeys;
  faults: Faults;
  /** Resolves when what has changed is kept, where it is kept at all. */
  saved: () => Promise<void>;
  /** Where the service's records are asked for; null where there is no service. */
  recordsUrl: string | null;
}

export interface ControlRoute {
  method: 'GET' | 'POST';
  /** Below /_sim; `:name` stands for one segment. */
  path: string;
  handle: (context: ControlContext, body: JsonObject, id: string) => unknown;
}

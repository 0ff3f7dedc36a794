import type { IdempotencyKeys } from '../http/api.ts';
import type { Faults } from '../http/faults.ts';
import type { World } from '../state/world.ts';
import type { Dispatcher } from '../webhooks/dispatcher.ts';

/** A control route was called in a way that it cannot answer; the message says what to send instead. */
export class ControlError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export type JsonObject = Record<string, unknown>;

/** A body that must be a JSON object, or nothing at all. */
export function parseJsonObject(text: string): JsonObject {
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ControlError(400, 'The body is not JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ControlError(400, 'The body must be a JSON object.');
  return Object.fromEntries(Object.entries(value));
}

function refuse(name: string, wanted: string): never {
  throw new ControlError(400, `"${name}" must be ${wanted}.`);
}

export function optionalNumber(body: JsonObject, name: string): number | undefined {
  const value = body[name];
  if (value === undefined) return undefined;
  return typeof value === 'number' && Number.isFinite(value) ? value : refuse(name, 'a number');
}

export function optionalString(body: JsonObject, name: string): string | undefined {
  const value = body[name];
  if (value === undefined) return undefined;
  return typeof value === 'string' ? value : refuse(name, 'a string');
}

export function optionalBoolean(body: JsonObject, name: string): boolean | undefined {
  const value = body[name];
  if (value === undefined) return undefined;
  return typeof value === 'boolean' ? value : refuse(name, 'true or false');
}

/** Refuses what a route does not know, so that a slip is not taken for a wish. */
export function onlyFields(body: JsonObject, names: readonly string[]): void {
  const unknown = Object.keys(body).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new ControlError(400, `"${unknown}" is not known here. Known: ${names.join(', ') || 'nothing'}.`);
}

export function jsonResponse(status: number, body: unknown): Response {
  return Response.json(body, { status, headers: { 'Cache-Control': 'no-store' } });
}

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
  /** What is answered: as JSON, unless it is a response already. */
  handle: (context: ControlContext, body: JsonObject, id: string) => unknown;
}

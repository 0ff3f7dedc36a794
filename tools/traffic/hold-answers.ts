import { createReadStream, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { UNDOCUMENTED } from '../../packages/simulator/src/http/operations.ts';
import type { TrafficLine } from '../../packages/simulator/src/server.ts';
import { differences } from '../../packages/simulator/test/stripe-objects.ts';
import type { Sender } from './replay-requests.ts';

interface Held {
  responses: number;
  events: number;
  /** What Stripe's document does not allow, each once, with how often it came. */
  readonly refused: Map<string, number>;
}

export const NOTHING_HELD = (): Held => ({ responses: 0, events: 0, refused: new Map() });

const ERROR_TYPES = ['api_error', 'card_error', 'idempotency_error', 'invalid_request_error'];
const undocumented = UNDOCUMENTED.map((operation) => {
  const [method, path = ''] = operation.split(' ');
  return { method, pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}(\\?|$)`) };
});

/** Whether a call is one of those that Stripe's document leaves out: only Stripe's own CLI makes them. */
export function isUndocumented(method: string, path: string): boolean {
  return undocumented.some((one) => one.method === method && one.pattern.test(path));
}

/** Holds one answer or event to the schemas generated from Stripe's document, and counts it. */
export function holdLine(held: Held, line: TrafficLine): void {
  if ('event' in line) {
    held.events += 1;
    note(held, `event ${line.event.type}`, differences(line.event));
    return;
  }
  const { method, path, status, responseBody } = line.exchange;
  // A connection that a test broke off has no answer; what is in no document cannot be held to one.
  if (status === 0 || isUndocumented(method, path)) return;
  held.responses += 1;
  const answer: unknown = JSON.parse(responseBody);
  note(held, `${method} ${path}`, status === 200 ? differences(answer) : errorDifferences(answer));
}

/** An error of Stripe's: `{error: {type, message}}`, of a type that the SDK has a class for. */
function errorDifferences(answer: unknown): readonly string[] {
  const { error } = answer as { readonly error?: { readonly type?: string; readonly message?: unknown } };
  if (!ERROR_TYPES.includes(error?.type ?? '')) return [`error.type is ${error?.type}`];
  return typeof error?.message === 'string' ? differences(error) : ['error.message is no text'];
}

function note({ refused }: Held, about: string, wrong: readonly string[]): void {
  for (const line of wrong) {
    const told = `${about.replace(/_[A-Za-z0-9]{14,}/g, '_…')}: ${line}`;
    refused.set(told, (refused.get(told) ?? 0) + 1);
  }
}

const FROM_SIMULATOR_TESTS = /^simulator-tests-/;

/** Every line of every traffic file in a folder, and who sent it, one by one: they are too large together for memory. */
export async function* readTraffic(folder: string): AsyncGenerator<readonly [Sender, TrafficLine]> {
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.jsonl')) : [];
  for (const file of files) {
    const sentBy = FROM_SIMULATOR_TESTS.test(file) ? 'simulator tests' : 'service';
    for await (const line of createInterface({ input: createReadStream(join(folder, file)) })) {
      // A process that was killed in the middle of a test may have left half a last line.
      if (line.endsWith('}')) yield [sentBy, JSON.parse(line) as TrafficLine];
    }
  }
}

import { mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type Stripe from 'stripe';
import type { Exchange } from './http/answer-api.ts';

/** One line of a traffic file: a call under /v1 with its answer, or an event as it came to be. */
export type TrafficLine = { readonly exchange: Exchange } | { readonly event: Stripe.Event };

/**
 * Appends lines to a file, which may hold others already, so that what passed can be held to documents afterwards.
 * A line is written when the function returns: a process that is killed leaves whole lines.
 */
export function trafficTo(file: string): (line: TrafficLine) => void {
  mkdirSync(dirname(file), { recursive: true });
  const opened = openSync(file, 'a');
  return (line) => {
    writeSync(opened, `${JSON.stringify(line)}\n`);
  };
}

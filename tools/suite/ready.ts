import { setTimeout as sleep } from 'node:timers/promises';
import { type Part, tailOf } from './processes.ts';

const EVERY_MS = 40;

/** What one look at a part found. `broken` gives up at once; `waiting` looks again. */
export type Look = { readonly is: 'ready' } | { readonly is: 'waiting' | 'broken'; readonly why: string };

/**
 * Looks at a part until it is ready.
 *
 * @throws Error with the tail of the part's log when it ends, is broken, or is not ready in time.
 */
export async function untilReady(part: Part, look: () => Promise<Look>, withinMs: number): Promise<void> {
  const deadline = Date.now() + withinMs;
  let why = 'it was never looked at';
  while (Date.now() < deadline) {
    if (part.hasEnded()) throw notReady(part, await part.ended);
    const found = await look();
    if (found.is === 'ready') return;
    if (found.is === 'broken') throw notReady(part, found.why);
    why = found.why;
    await sleep(EVERY_MS);
  }
  throw notReady(part, `was not ready within ${withinMs / 1000} s (${why})`);
}

/** Asks an address; ready when `judge` says so of the status and body. A refused connection is waiting. */
export async function ask(url: string, judge: (status: number, body: string) => Look): Promise<Look> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(30_000) });
    return judge(response.status, await response.text());
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { is: 'waiting', why: cause instanceof Error ? cause.message : String(cause) };
  }
}

function notReady(part: Part, why: string): Error {
  return new Error(`${part.name} ${why}. Its last lines:\n\n${tailOf(part)}\n`);
}

import { exponential, seeded } from '../random.ts';

// Several instances that write one document, each with the version that it saw: who gets through, and when?

export interface ContentionCase {
  readonly instances: number;
  /** Requests a second for the one document, at all instances together; null: one at each instance, at the same moment. */
  readonly perSecond: number | null;
  readonly seconds: number;
  /** From an instance to Firestore and back. */
  readonly roundTripMs: number;
}

export interface Contention {
  readonly answered: number;
  /** Requests that were answered 503, to be sent again. */
  readonly failed: number;
  /** Writes of the document a second that succeeded. */
  readonly writes: number;
  /** Commits that were sent for each that succeeded. */
  readonly attempts: number;
  readonly p50: number;
  readonly p99: number;
}

/** How the service writes a document that others write as well. */
interface Policy {
  /** Requests in one commit. */
  readonly group: number;
  readonly attempts: number;
  readonly withinMs: number;
  /** Milliseconds at most before an attempt, from the second on. */
  readonly pause: (attempt: number) => number;
  /** It remembers the version that it wrote itself. */
  readonly remembers: boolean;
}

/** Spends of one account (functions/src/credits/commit.ts). */
export const SPENDS: Policy = {
  ...{ group: 100, attempts: 12, withinMs: 6_000, remembers: true },
  pause: (attempt) => Math.min(200, 5 * 2 ** attempt),
};
/** Leases of the day's free credits (functions/src/free/ceiling.ts). */
export const LEASES: Policy = {
  ...{ group: 1, attempts: 20, withinMs: Number.POSITIVE_INFINITY, remembers: false },
  pause: (attempt) => Math.min(200, 2 ** (attempt - 1)),
};

interface Writer {
  readonly waiting: number[];
  /** When the requests under way came; empty: idle. */
  group: readonly number[];
  begun: number;
  attempt: number;
  /** The version that its commit names; null: it reads first. */
  seen: number | null;
}

type Step = 'arrive' | 'read' | 'commit' | 'answer' | 'refused';
interface Event {
  readonly at: number;
  readonly step: Step;
  readonly writer: number;
}

/**
 * One record, instances with a queue and a group of requests each, commits that fail where the version they name is no
 * longer the last one: it is looked at half a round trip after it was sent.
 */
export function simulateContention(one: ContentionCase, policy: Policy = SPENDS, seed = 1): Contention {
  const { instances, perSecond, seconds, roundTripMs } = one;
  const random = seeded(seed);
  const writers = Array.from(
    { length: instances },
    (): Writer => ({ waiting: [], group: [], begun: 0, attempt: 0, seen: policy.remembers ? 0 : null }),
  );
  const events = new Agenda();
  const end = seconds * 1_000;
  let version = 0;
  let [attempts, writes, failed] = [0, 0, 0];
  const waits: number[] = [];
  const next = (after: number): void => {
    if (perSecond === null) return;
    const at = after + exponential(random, 1_000 / perSecond);
    if (at < end) events.add({ at, step: 'arrive', writer: Math.floor(random() * instances) });
  };
  const begin = (writer: Writer, index: number, now: number): void => {
    writer.group = writer.waiting.splice(0, policy.group);
    if (writer.group.length === 0) return;
    writer.begun = now;
    writer.attempt = 1;
    events.add({ at: now + roundTripMs / 2, step: writer.seen === null ? 'read' : 'commit', writer: index });
  };
  const finish = (writer: Writer, index: number, now: number): void => {
    writer.group = [];
    begin(writer, index, now);
  };
  const again = (writer: Writer, index: number, now: number): void => {
    writer.attempt += 1;
    const pause = random() * policy.pause(writer.attempt);
    const isOver = writer.attempt > policy.attempts || now + pause - writer.begun > policy.withinMs;
    if (!isOver) {
      events.add({ at: now + pause + roundTripMs / 2, step: 'read', writer: index });
      return;
    }
    failed += writer.group.length;
    finish(writer, index, now);
  };
  if (perSecond === null) for (const writer of writers.keys()) events.add({ at: 0, step: 'arrive', writer });
  next(0);
  for (let event = events.take(); event !== null; event = events.take()) {
    const { at: now, step, writer: index } = event;
    const writer = writers[index];
    if (writer === undefined) throw new Error('no such instance');
    switch (step) {
      case 'arrive':
        next(now);
        writer.waiting.push(now);
        if (writer.group.length === 0) begin(writer, index, now);
        break;
      case 'read':
        // What it read is a round trip old when the commit that builds on it arrives.
        writer.seen = version;
        events.add({ at: now + roundTripMs, step: 'commit', writer: index });
        break;
      case 'commit': {
        attempts += 1;
        const isLast = writer.seen === version;
        if (isLast) {
          version += 1;
          writes += 1;
          writer.seen = policy.remembers ? version : null;
        } else writer.seen = null;
        events.add({ at: now + roundTripMs / 2, step: isLast ? 'answer' : 'refused', writer: index });
        break;
      }
      case 'answer':
        for (const came of writer.group) waits.push(now - came);
        finish(writer, index, now);
        break;
      case 'refused':
        again(writer, index, now);
        break;
      default:
        step satisfies never;
    }
  }
  waits.sort((a, b) => a - b);
  const at = (share: number): number =>
    waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? 0;
  return {
    ...{ answered: waits.length, failed, writes: writes / seconds, attempts: attempts / Math.max(1, writes) },
    ...{ p50: at(0.5), p99: at(0.99) },
  };
}

/** What happens next: a heap by time, and of the same time in the order of arrival. */
class Agenda {
  readonly #heap: (Event & { readonly order: number })[] = [];
  #count = 0;

  add(event: Event): void {
    this.#count += 1;
    const heap = this.#heap;
    heap.push({ ...event, order: this.#count });
    for (let at = heap.length - 1; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(at, parent)) break;
      this.#swap(at, parent);
      at = parent;
    }
  }

  take(): Event | null {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (first === undefined || last === undefined) return null;
    if (heap.length === 0) return first;
    heap[0] = last;
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let least = at;
      if (left < heap.length && this.#isBefore(left, least)) least = left;
      if (right < heap.length && this.#isBefore(right, least)) least = right;
      if (least === at) return first;
      this.#swap(at, least);
      at = least;
    }
  }

  #isBefore(one: number, other: number): boolean {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    if (a === undefined || b === undefined) return false;
    return a.at < b.at || (a.at === b.at && a.order < b.order);
  }

  #swap(one: number, other: number): void {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    if (a === undefined || b === undefined) return;
    this.#heap[one] = b;
    this.#heap[other] = a;
  }
}

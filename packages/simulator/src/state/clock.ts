import type Stripe from 'stripe';
import type { Table } from './table.ts';

/** Whose time: a test clock's id, or null for everything that hangs on none. */
export type ClockScope = string | null;

/**
 * The clocks in force, in whole seconds since 1970. Without a test clock, time is the machine's plus what
 * the whole world was advanced by; a test clock stands still until it is advanced.
 */
export class Clock {
  private offset = 0;
  private pinned: { scope: ClockScope; at: number } | null = null;
  private readonly testClocks: Table<Stripe.TestHelpers.TestClock>;

  constructor(testClocks: Table<Stripe.TestHelpers.TestClock>) {
    this.testClocks = testClocks;
  }

  now(scope: ClockScope = null): number {
    if (this.pinned !== null && this.pinned.scope === scope) return this.pinned.at;
    return this.testClocks.get(scope)?.frozen_time ?? Math.floor(Date.now() / 1000) + this.offset;
  }

  /** Moves the world's time forward. */
  advance(seconds: number): void {
    this.offset += seconds;
  }

  /** Seconds that the world is ahead of the machine. */
  ahead(): number {
    return this.offset;
  }

  reset(): void {
    this.offset = 0;
  }

  /** Runs `work` as if it were `at` on that clock: a renewal that is billed late still happens on its day. */
  during<T>(scope: ClockScope, at: number, work: () => T): T {
    const before = this.pinned;
    this.pinned = { scope, at };
    try {
      return work();
    } finally {
      this.pinned = before;
    }
  }
}

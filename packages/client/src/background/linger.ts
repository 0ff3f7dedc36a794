import type { Millis } from '@extension-billing/contract/customer';

/** A page that is looked at says hello every 20 s: this long after the last one nobody is taken to look any more. */
export const LOOKED_AT_MS = 60_000;

/** Whether somebody looks at billing, or waits for it. Nobody says that they have stopped: it ends by itself. */
export interface Linger {
  /** Somebody does now. */
  extend(): void;
  isOn(): boolean;
}

export interface LingerDeps {
  readonly now: () => Millis;
  readonly later: (step: () => void, ms: number) => void;
}

/** @param onOver nobody looks any more */
export function createLinger({ now, later }: LingerDeps, onOver: () => void): Linger {
  let until: Millis = 0;
  let isTimed = false;
  function waitFor(ms: number): void {
    isTimed = true;
    later(() => {
      isTimed = false;
      const left = until - now();
      if (left > 0 && left <= LOOKED_AT_MS) return waitFor(left);
      // More than there was at any time: the clock has been set back.
      until = 0;
      onOver();
    }, ms);
  }
  return {
    extend() {
      until = now() + LOOKED_AT_MS;
      if (!isTimed) waitFor(LOOKED_AT_MS);
    },
    isOn: () => now() < until,
  };
}

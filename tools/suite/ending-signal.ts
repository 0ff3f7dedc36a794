import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Thrown out of what was under way when a signal asked this process to end. */
class EndedBySignal extends Error {
  readonly signal: NodeJS.Signals;

  constructor(signal: NodeJS.Signals) {
    super(`Ended by ${signal}.`);
    this.signal = signal;
  }
}

export interface EndingSignal {
  /** Settles with the first signal that asks this process to end; later ones are ignored while it cleans up. */
  readonly received: Promise<NodeJS.Signals>;
  readonly aborted: AbortSignal;
}

/** Takes the signals that ask this process to end, so that it can end its parts first. */
export function endingSignal(): EndingSignal {
  const controller = new AbortController();
  const received = new Promise<NodeJS.Signals>((resolve) => {
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        controller.abort(new EndedBySignal(signal));
        resolve(signal);
      });
    }
  });
  return { received, aborted: controller.signal };
}

/** The exit status of a process that a signal ended, as a shell says it. */
export function statusOfSignal(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/** Says what went wrong and gives the exit status for it. */
export function statusOfFailure(error: unknown): number {
  console.error(error instanceof Error ? error.message : String(error));
  return error instanceof EndedBySignal ? statusOfSignal(error.signal) : 1;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

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
        controller.abort(new Error(`Ended by ${signal}.`));
        resolve(signal);
      });
    }
  });
  return { received, aborted: controller.signal };
}

import { median, type Sample } from './measure.ts';

export type Figure = 'p50' | 'p99' | 'perSecond' | 'cpu';

export interface Compared {
  readonly samples: Readonly<Record<string, readonly Sample[]>>;
  /** Median over the rounds of one contender's figure divided by another's in the same round. */
  ratio(figure: Figure, of: string, to: string): number;
  /** Median over the rounds; NaN where the figure is not known. */
  typical(figure: Figure, of: string): number;
  failures(): number;
}

/**
 * Measures contenders in turns, round by round: what disturbs the machine for a while disturbs all of them, and a
 * ratio is only taken within a round. One round before the others is not counted: it opens the connections, checks
 * the tokens and fills the memories, as in an instance that has been running.
 */
export async function compare(
  rounds: number,
  contenders: Readonly<Record<string, () => Promise<Sample>>>,
): Promise<Compared> {
  const samples: Record<string, Sample[]> = {};
  const names = Object.entries(contenders);
  for (const [, run] of names) await run();
  for (let round = 0; round < rounds; round += 1) {
    // Each round in the other direction, so that nobody always runs behind the same neighbour.
    for (const [name, run] of round % 2 === 0 ? names : names.toReversed()) {
      const known = samples[name] ?? [];
      known.push(await run());
      samples[name] = known;
    }
  }
  const figures = (name: string, figure: Figure): readonly number[] =>
    (samples[name] ?? []).map((sample) => sample[figure] ?? Number.NaN);
  return {
    samples,
    ratio(figure, of, to) {
      const base = figures(to, figure);
      return median(figures(of, figure).map((value, round) => value / (base[round] ?? Number.NaN)));
    },
    typical: (figure, of) => median(figures(of, figure)),
    failures: () =>
      Object.values(samples)
        .flat()
        .reduce((sum, sample) => sum + sample.failures, 0),
  };
}

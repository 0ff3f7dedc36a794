import { median, type Sample } from './measure.ts';

export interface Compared {
  readonly samples: Readonly<Record<string, readonly Sample[]>>;
  /** Median over the rounds of one contender's figure divided by another's in the same round. */
  ratio(figure: 'p50' | 'perSecond', of: string, to: string): number;
  failures(): number;
}

/**
 * Measures contenders in turns, round by round: what disturbs the machine for a while disturbs all of them,
 * and a ratio is only taken within a round.
 */
export async function compare(
  rounds: number,
  contenders: Readonly<Record<string, () => Promise<Sample>>>,
): Promise<Compared> {
  const samples: Record<string, Sample[]> = {};
  for (let round = 0; round < rounds; round += 1) {
    const names = Object.entries(contenders);
    // Each round in the other direction, so that nobody always runs behind the same neighbour.
    for (const [name, run] of round % 2 === 0 ? names : names.toReversed()) {
      const known = samples[name] ?? [];
      const sample = await run();
      known.push(sample);
      console.error(
        `bench:   ${name}: ${sample.perSecond.toFixed(0)}/s, p50 ${sample.p50.toFixed(1)} ms, ${sample.failures} failed`,
      );
      samples[name] = known;
    }
  }
  return {
    samples,
    ratio: (figure, of, to) =>
      median(
        (samples[of] ?? []).map((sample, n) => sample[figure] / (samples[to]?.[n]?.[figure] ?? Number.NaN)),
      ),
    failures: () =>
      Object.values(samples)
        .flat()
        .reduce((sum, sample) => sum + sample.failures, 0),
  };
}

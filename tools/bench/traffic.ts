import { seeded } from '../random.ts';
import { arrivals } from './open-loop.ts';

// Who asks what, when and where: drawn before a load begins, so that each contender gets the very same.

/** What is asked, by its share of all. */
export const MIX = {
  consume: 0.6,
  balance: 0.2,
  /** A backend's hold and its settle. */
  charge: 0.1,
  /** A consume sent again with its key. */
  replay: 0.04,
  /** A consume of somebody with no credits left. */
  refusal: 0.04,
  /** A renewal's event from the provider. */
  event: 0.02,
} as const;
export type Kind = keyof typeof MIX;
export type Shares = Readonly<Partial<Record<Kind, number>>>;

export interface Planned {
  /** Milliseconds from the start. */
  readonly at: number;
  readonly kind: Kind;
  /** Which of the visitors. */
  readonly who: number;
  /** From 0 to 1: where it comes to, where nothing keeps a visitor with an instance. */
  readonly draw: number;
}

export interface Rate {
  readonly count: number;
  readonly perSecond: number;
  readonly visitors: number;
  readonly seed: number;
}

/** @param shares add up to 1 */
export function planTraffic(shares: Shares, { count, perSecond, visitors, seed }: Rate): readonly Planned[] {
  const random = seeded(seed);
  const kindAt = (draw: number): Kind => {
    let sum = 0;
    for (const [kind, share] of Object.entries(shares) as [Kind, number][]) {
      sum += share;
      if (draw < sum) return kind;
    }
    return 'consume';
  };
  return arrivals(count, perSecond, random).map((at) => ({
    at,
    kind: kindAt(random()),
    who: Math.floor(random() * visitors),
    draw: random(),
  }));
}

/** Sticky: a visitor comes to the same instance each time. Random: to any, as Cloud Run has it. */
export type Routing = 'sticky' | 'random';

export function instanceFor(
  { who, draw }: Pick<Planned, 'who' | 'draw'>,
  routing: Routing,
  instances: number,
): number {
  return routing === 'sticky' ? who % instances : Math.floor(draw * instances);
}

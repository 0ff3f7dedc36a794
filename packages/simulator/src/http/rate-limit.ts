/** Counts calls as Stripe does per account: so many a second (25 in a sandbox). */
export class RateLimit {
  private readonly perSecond: number | null;
  private left: number;
  private since = 0;

  /** @param perSecond null for no limit */
  constructor(perSecond: number | null) {
    this.perSecond = perSecond;
    this.left = perSecond ?? 0;
  }

  /**
   * Whether another call fits into the limit; one that fits is counted.
   *
   * @param now milliseconds
   */
  takes(now: number): boolean {
    if (this.perSecond === null) return true;
    const refilled = this.left + ((now - this.since) / 1000) * this.perSecond;
    this.left = Math.min(this.perSecond, refilled);
    this.since = now;
    if (this.left < 1) return false;
    this.left -= 1;
    return true;
  }
}

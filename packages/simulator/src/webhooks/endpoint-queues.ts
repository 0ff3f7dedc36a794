import type { QueuedDelivery } from './delivery.ts';

interface Ways {
  /** Takes the next one out of a queue. */
  readonly take: (queue: QueuedDelivery[]) => QueuedDelivery | undefined;
  readonly attempt: (delivery: QueuedDelivery) => Promise<void>;
  /** Called whenever a queue has been worked off. */
  readonly onRest: () => void;
}

/** One queue per endpoint, each worked off one delivery at a time. */
export class EndpointQueues {
  private readonly ways: Ways;
  private readonly queues = new Map<string, QueuedDelivery[]>();
  private readonly busy = new Set<string>();
  private readonly gathering = new Map<string, NodeJS.Immediate>();
  private stopped = false;

  constructor(ways: Ways) {
    this.ways = ways;
  }

  /** Waits for the end of the turn, so that events of one change can be put into another order. */
  push(delivery: QueuedDelivery): void {
    const { endpoint } = delivery;
    const queue = this.queues.get(endpoint) ?? [];
    queue.push(delivery);
    this.queues.set(endpoint, queue);
    if (this.gathering.has(endpoint)) return;
    this.gathering.set(
      endpoint,
      setImmediate(() => {
        this.gathering.delete(endpoint);
        void this.drain(endpoint, queue);
      }),
    );
  }

  /** Whether nothing is queued or on its way. */
  areEmpty(): boolean {
    const queued = [...this.queues.values()].some((queue) => queue.length > 0);
    return !queued && this.busy.size === 0 && this.gathering.size === 0;
  }

  /** Lets go of everything; what is on its way is not followed by another. */
  stop(): void {
    this.stopped = true;
    for (const timer of this.gathering.values()) clearImmediate(timer);
  }

  private async drain(endpoint: string, queue: QueuedDelivery[]): Promise<void> {
    if (this.busy.has(endpoint)) return;
    this.busy.add(endpoint);
    const { take, attempt, onRest } = this.ways;
    for (let next = take(queue); next !== undefined; next = take(queue)) {
      await attempt(next);
      if (this.stopped) return;
    }
    this.busy.delete(endpoint);
    onRest();
  }
}

import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import type Stripe from 'stripe';
import type { Delivery, DeliveryMode } from '../webhooks/delivery.ts';
import { API_VERSION, type World } from './world.ts';

/**
 * Keeps a state in a file. One write is on its way at a time, and one more serves everybody who asked meanwhile;
 * the file is replaced as a whole, so that a process that is killed leaves the state before or after, never half.
 */
export class StateFile {
  readonly path: string;
  private readonly snapshot: () => unknown;
  private running: Promise<void> = Promise.resolve();
  private next: Promise<void> | null = null;

  constructor(path: string, snapshot: () => unknown) {
    this.path = path;
    this.snapshot = snapshot;
  }

  /** Resolves when the file holds the state as it is now, or later. @throws what the file system says. */
  saved(): Promise<void> {
    this.next ??= this.running
      .catch(() => {})
      .then(() => {
        this.next = null;
        this.running = this.write();
        return this.running;
      });
    return this.next;
  }

  private async write(): Promise<void> {
    const partial = `${this.path}.partial`;
    await writeFile(partial, JSON.stringify(this.snapshot()), { mode: 0o600 });
    await rename(partial, this.path);
  }
}

/** What the file holds, or null when there is none yet. */
export function readStateFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Deliveries by the id of their event: the event itself is among the tables' rows. */
export interface KeptDeliveries {
  mode: DeliveryMode;
  all: Delivery[];
}

/** A POST's idempotency key, what it was asked, and what it was answered. */
export type KeptAnswer = [
  key: string,
  recorded: { fingerprint: string; answer: { status: number; body: string } },
];

/** Everything that a simulator remembers, as its file holds it. */
export interface Snapshot {
  format: 1;
  apiVersion: string;
  /** Origin of the hosted pages when it was written: addresses in the objects begin with it. */
  baseUrl: string;
  /** Seconds that the world's clock is ahead of the machine's. */
  clockAhead: number;
  tables: Record<string, { id: string }[]>;
  facts: Record<string, unknown[]>;
  answers: KeptAnswer[];
  deliveries: KeptDeliveries;
}

/** The world's part of a snapshot. */
export function snapshotWorld(world: World): Omit<Snapshot, 'answers' | 'deliveries'> {
  return {
    format: 1,
    apiVersion: API_VERSION,
    baseUrl: world.options.baseUrl,
    clockAhead: world.clock.ahead(),
    tables: Object.fromEntries(Object.entries(world.tables).map(([name, table]) => [name, table.all()])),
    facts: Object.fromEntries(Object.entries(world.facts).map(([name, fact]) => [name, [...fact]])),
  };
}

/** A subscription's item shows its price as it is now, so the two have to be one object again. */
function relinkPrices(world: World): void {
  const items = world.tables.subscriptions.all().flatMap((row) => row.items.data);
  for (const item of items) item.price = world.tables.prices.get(item.price.id) ?? item.price;
}

/** Puts a snapshot's rows, facts and clock into an empty world. */
export function restoreWorld(world: World, snapshot: Snapshot): void {
  for (const [name, table] of Object.entries(world.tables)) {
    table.clear();
    for (const row of snapshot.tables[name] ?? []) table.insert(row as never);
  }
  for (const [name, fact] of Object.entries(world.facts)) {
    fact.clear();
    for (const kept of snapshot.facts[name] ?? []) {
      if (fact instanceof Map) {
        const [key, value] = kept as [string, never];
        fact.set(key, value);
      } else fact.add(kept as string);
    }
  }
  relinkPrices(world);
  world.clock.reset();
  world.clock.advance(snapshot.clockAhead);
}

/** The test clocks that were on their way when the snapshot was taken, and where to. */
export function clocksUnderway(world: World): { clock: Stripe.TestHelpers.TestClock; to: number }[] {
  return world.tables.test_clocks
    .filter((clock) => clock.status === 'advancing')
    .map((clock) => ({
      clock,
      to: clock.status_details.advancing?.target_frozen_time ?? clock.frozen_time,
    }));
}

/**
 * Reads what a state file holds, with its addresses moved to `baseUrl`.
 * @throws Error saying what to do when it is no state file of this simulator.
 */
export function parseSnapshot(text: string, path: string, baseUrl: string): Snapshot {
  const refused = new Error(
    `${path} is no state file of this simulator. Name another file, or delete it to begin anew.`,
  );
  const [, written] = /^\{"format":1,"apiVersion":"[^"]*","baseUrl":"([^"]+)"/.exec(text) ?? [];
  if (written === undefined) throw refused;
  try {
    return JSON.parse(written === baseUrl ? text : text.replaceAll(written, baseUrl)) as Snapshot;
  } catch {
    throw refused;
  }
}

import { type AggregateField, type DocumentData, type Firestore, Timestamp } from 'firebase-admin/firestore';
import { MemoryAggregate } from './memory-queries.ts';
import {
  CODE,
  createWrite,
  FirestoreError,
  isPlain,
  type Precondition,
  type SetOptions,
  type Stored,
  setWrite,
  timeOf,
  updateWrite,
  type Write,
} from './memory-writes.ts';

/** A call that would go over the wire. `commit` writes; the others only read. */
type Call = 'read' | 'query' | 'commit';

/** Runs around each call: it may wait (to let others in between) or throw (to be a failing database). */
export interface Around {
  before(call: Call): Promise<void>;
  after(call: Call): Promise<void>;
}

const PEACE: Around = { before: async () => {}, after: async () => {} };

/**
 * The part of Firestore that the store works with, in memory: documents, transactions that fail when what they
 * read was written meanwhile, preconditions, batches. It lets the very code that runs in production be run a
 * hundred thousand times in a minute, with any interleaving and any failing call. The emulator tests hold the
 * real thing to the same property.
 */
export class MemoryFirestore {
  readonly documents = new Map<string, Stored>();
  around: Around = PEACE;
  readonly clock = { version: 1 };

  /** A client of its own, as a process has one: what code remembers by it is not shared. */
  connect(): Firestore {
    return Object.create(this) as Firestore;
  }

  doc(path: string): MemoryRef {
    return new MemoryRef(this, path);
  }

  collection(path: string): MemoryCollection {
    return new MemoryCollection(this, path);
  }

  async getAll(...refs: readonly MemoryRef[]): Promise<MemorySnapshot[]> {
    await this.around.before('read');
    const snapshots = refs.map((ref) => this.snapshot(ref));
    await this.around.after('read');
    return snapshots;
  }

  /** What a TTL policy on `expireAt` takes away, of the ledgers. */
  removeExpired(now: number): void {
    for (const [path, { data }] of this.documents) {
      const at: unknown = data.expireAt;
      const isOver = at instanceof Timestamp && at.toMillis() <= now;
      if (isOver && path.includes('/credit_ledger/')) this.documents.delete(path);
    }
  }

  async query(path: string): Promise<MemorySnapshot[]> {
    await this.around.before('query');
    const depth = path.split('/').length + 1;
    const found = [...this.documents.keys()].filter(
      (key) => key.startsWith(`${path}/`) && key.split('/').length === depth,
    );
    const snapshots = found.sort().map((key) => this.snapshot(this.doc(key)));
    await this.around.after('query');
    return snapshots;
  }

  batch(): MemoryBatch {
    return new MemoryBatch(this);
  }

  async runTransaction<Result>(
    run: (transaction: MemoryTransaction) => Promise<Result>,
    options: { readonly maxAttempts?: number } = {},
  ): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      const transaction = new MemoryTransaction(this);
      const result = await run(transaction);
      try {
        await transaction.commit();
        return result;
      } catch (error) {
        const isLost = error instanceof FirestoreError && error.code === CODE.ABORTED;
        if (!isLost || attempt >= (options.maxAttempts ?? 5)) throw error;
      }
    }
  }

  snapshot(ref: MemoryRef): MemorySnapshot {
    return new MemorySnapshot(ref, this.documents.get(ref.path));
  }

  /** All or nothing, at one moment. */
  async commit(writes: readonly Write[], reads: ReadonlyMap<string, number | undefined>): Promise<Timestamp> {
    await this.around.before('commit');
    for (const [path, version] of reads) {
      if (this.documents.get(path)?.version !== version) throw new FirestoreError('ABORTED', path);
    }
    const version = this.clock.version + 1;
    const after = new Map(this.documents);
    for (const write of writes) write(after, version, this.documents);
    this.clock.version = version;
    this.documents.clear();
    for (const [path, stored] of after) this.documents.set(path, stored);
    await this.around.after('commit');
    return timeOf(version);
  }
}

export class MemoryRef {
  readonly owner: MemoryFirestore;
  readonly path: string;

  constructor(owner: MemoryFirestore, path: string) {
    this.owner = owner;
    this.path = path;
  }

  get id(): string {
    return this.path.slice(this.path.lastIndexOf('/') + 1);
  }

  collection(name: string): MemoryCollection {
    return new MemoryCollection(this.owner, `${this.path}/${name}`);
  }

  async get(): Promise<MemorySnapshot> {
    const [snapshot] = await this.owner.getAll(this);
    if (snapshot === undefined) throw new Error('a read answers one snapshot for each document');
    return snapshot;
  }

  async create(data: DocumentData) {
    return { writeTime: await this.owner.commit([createWrite(this.path, data)], new Map()) };
  }

  async set(data: DocumentData, options?: SetOptions) {
    return { writeTime: await this.owner.commit([setWrite(this.path, data, options)], new Map()) };
  }

  async update(data: DocumentData, precondition?: Precondition) {
    return { writeTime: await this.owner.commit([updateWrite(this.path, data, precondition)], new Map()) };
  }
}

export class MemoryCollection {
  readonly owner: MemoryFirestore;
  readonly path: string;

  constructor(owner: MemoryFirestore, path: string) {
    this.owner = owner;
    this.path = path;
  }

  doc(id: string): MemoryRef {
    return new MemoryRef(this.owner, `${this.path}/${id}`);
  }

  async get() {
    const docs = await this.owner.query(this.path);
    return { docs, size: docs.length, empty: docs.length === 0 };
  }

  aggregate(fields: Readonly<Record<string, AggregateField<number>>>): MemoryAggregate {
    return new MemoryAggregate(this, fields);
  }
}

export class MemorySnapshot {
  readonly ref: MemoryRef;
  readonly #stored: Stored | undefined;

  constructor(ref: MemoryRef, stored: Stored | undefined) {
    this.ref = ref;
    this.#stored = stored;
  }

  get id(): string {
    return this.ref.id;
  }

  get exists(): boolean {
    return this.#stored !== undefined;
  }

  get version(): number | undefined {
    return this.#stored?.version;
  }

  get updateTime(): Timestamp | undefined {
    return this.#stored === undefined ? undefined : timeOf(this.#stored.version);
  }

  data(): DocumentData | undefined {
    // Stored documents never change, so they are shared; the code that reads them may not change them either.
    return this.#stored?.data;
  }

  get(field: string): unknown {
    let value: unknown = this.#stored?.data;
    for (const part of field.split('.')) value = isPlain(value) ? value[part] : undefined;
    return value;
  }
}

/** Writes that are gathered and committed together. */
class Writes {
  protected readonly owner: MemoryFirestore;
  protected readonly writes: Write[] = [];

  constructor(owner: MemoryFirestore) {
    this.owner = owner;
  }

  create(ref: MemoryRef, data: DocumentData): this {
    this.writes.push(createWrite(ref.path, data));
    return this;
  }

  set(ref: MemoryRef, data: DocumentData, options?: SetOptions): this {
    this.writes.push(setWrite(ref.path, data, options));
    return this;
  }

  update(ref: MemoryRef, data: DocumentData, precondition?: Precondition): this {
    this.writes.push(updateWrite(ref.path, data, precondition));
    return this;
  }

  delete(ref: MemoryRef): this {
    this.writes.push((documents) => void documents.delete(ref.path));
    return this;
  }
}

export class MemoryBatch extends Writes {
  async commit() {
    const writeTime = await this.owner.commit(this.writes, new Map());
    return this.writes.map(() => ({ writeTime }));
  }
}

export class MemoryTransaction extends Writes {
  readonly #reads = new Map<string, number | undefined>();

  /** A sum holds no locks here: what changes a ledger changes a record that was read as well. */
  async get(query: MemoryAggregate): Promise<Awaited<ReturnType<MemoryAggregate['get']>>>;
  async get(ref: MemoryRef): Promise<MemorySnapshot>;
  async get(ref: MemoryRef | MemoryAggregate) {
    if (ref instanceof MemoryAggregate) return ref.get();
    const [snapshot] = await this.getAll(ref);
    if (snapshot === undefined) throw new Error('a read answers one snapshot for each document');
    return snapshot;
  }

  async getAll(...refs: readonly MemoryRef[]): Promise<MemorySnapshot[]> {
    if (this.writes.length > 0) throw new Error('Firestore transactions read before they write');
    const snapshots = await this.owner.getAll(...refs);
    for (const { ref, version } of snapshots) {
      if (!this.#reads.has(ref.path)) this.#reads.set(ref.path, version);
    }
    return snapshots;
  }

  async commit(): Promise<void> {
    await this.owner.commit(this.writes, this.#reads);
  }
}

import {
  type AggregateField,
  type DocumentData,
  type FieldPath,
  FieldValue,
  type Firestore,
  Timestamp,
} from 'firebase-admin/firestore';

/** A call that would go over the wire. `commit` writes; the others only read. */
type Call = 'read' | 'query' | 'commit';

/** Runs around each call: it may wait (to let others in between) or throw (to be a failing database). */
export interface Around {
  before(call: Call): Promise<void>;
  after(call: Call): Promise<void>;
}

interface Stored {
  readonly data: DocumentData;
  readonly version: number;
}

type Write = (documents: Map<string, Stored>, version: number) => void;

/** gRPC's codes, as the real client throws them. */
const CODE = { NOT_FOUND: 5, ALREADY_EXISTS: 6, FAILED_PRECONDITION: 9, ABORTED: 10 } as const;

class FirestoreError extends Error {
  readonly code: number;

  constructor(code: keyof typeof CODE, path: string) {
    super(`${CODE[code]} ${code}: ${path}`);
    this.code = CODE[code];
  }
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
    for (const write of writes) write(after, version);
    this.clock.version = version;
    this.documents.clear();
    for (const [path, stored] of after) this.documents.set(path, stored);
    await this.around.after('commit');
    return timeOf(version);
  }
}

/** A version as an update time: each commit has its own. */
function timeOf(version: number): Timestamp {
  return new Timestamp(1_700_000_000 + Math.floor(version / 1_000_000), (version % 1_000_000) * 1_000);
}

interface Precondition {
  readonly lastUpdateTime?: Timestamp;
  readonly exists?: boolean;
}

function createWrite(path: string, data: DocumentData): Write {
  const kept = checked(data, path);
  return (documents, version) => {
    if (documents.has(path)) throw new FirestoreError('ALREADY_EXISTS', path);
    documents.set(path, { data: kept, version });
  };
}

interface SetOptions {
  readonly merge?: boolean;
  readonly mergeFields?: readonly string[];
}

function setWrite(path: string, data: DocumentData, options: SetOptions = {}): Write {
  const kept = checked(data, path);
  return (documents, version) => {
    const before = documents.get(path)?.data ?? {};
    const { merge = false, mergeFields } = options;
    if (mergeFields === undefined) {
      documents.set(path, { data: merge ? merged(before, kept) : kept, version });
      return;
    }
    const after = { ...before };
    for (const field of mergeFields) put(after, [field], kept[field]);
    documents.set(path, { data: after, version });
  };
}

function updateWrite(path: string, data: DocumentData, precondition: Precondition = {}): Write {
  const kept = checked(data, path);
  return (documents, version) => {
    const before = documents.get(path);
    if (before === undefined) throw new FirestoreError('NOT_FOUND', path);
    const { lastUpdateTime } = precondition;
    if (lastUpdateTime !== undefined && !lastUpdateTime.isEqual(timeOf(before.version))) {
      throw new FirestoreError('FAILED_PRECONDITION', path);
    }
    const after = structuredCopy(before.data);
    for (const [field, value] of Object.entries(kept)) put(after, field.split('.'), value);
    documents.set(path, { data: after, version });
  };
}

function put(target: DocumentData, [first = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    if (isDeletion(value)) delete target[first];
    else target[first] = value;
    return;
  }
  const inner = isPlain(target[first]) ? target[first] : {};
  target[first] = inner;
  put(inner, rest, value);
}

/** An update and a merge can take a field away here: nothing else in the service does. */
function isDeletion(value: unknown): boolean {
  return value instanceof FieldValue && value.isEqual(FieldValue.delete());
}

function merged(before: DocumentData, after: DocumentData): DocumentData {
  const result = { ...before };
  for (const [field, value] of Object.entries(after)) {
    if (isDeletion(value)) {
      delete result[field];
      continue;
    }
    const old: unknown = result[field];
    result[field] =
      isPlain(old) && isPlain(value) && Object.keys(value).length > 0 ? merged(old, value) : value;
  }
  return result;
}

function isPlain(value: unknown): value is DocumentData {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** A copy that later changes do not reach; timestamps never change and are shared. */
function structuredCopy(value: DocumentData): DocumentData {
  return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, copy(inner)]));
}

function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  return isPlain(value) ? structuredCopy(value) : value;
}

/** Firestore refuses undefined, and fields that it would not give back as they were. */
function checked(value: DocumentData, path: string): DocumentData {
  const check = (inner: unknown, field: string): void => {
    const isLegal =
      inner === null ||
      ['string', 'number', 'boolean'].includes(typeof inner) ||
      inner instanceof Timestamp ||
      inner instanceof Uint8Array ||
      inner instanceof Date ||
      isDeletion(inner);
    if (Array.isArray(inner)) for (const [index, item] of inner.entries()) check(item, `${field}[${index}]`);
    else if (isPlain(inner)) for (const [key, item] of Object.entries(inner)) check(item, `${field}.${key}`);
    else if (!isLegal) throw new Error(`Firestore cannot hold ${String(inner)} in ${path} ${field}`);
  };
  check(value, '');
  return structuredCopy(value);
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

  where(field: string, comparison: '<' | '>=', bound: Timestamp): MemoryQuery {
    return new MemoryQuery(this, { bounds: [{ field, comparison, bound }] });
  }
}

interface Asked {
  readonly bounds: readonly {
    readonly field: string;
    readonly comparison: '<' | '>=';
    readonly bound: Timestamp;
  }[];
  readonly descending?: boolean;
  readonly after?: { readonly at: Timestamp; readonly id: string };
  readonly limit?: number;
}

/** A collection by one time of its documents, and then by their ids: the only query with an order that the service makes. */
export class MemoryQuery {
  readonly #of: MemoryCollection;
  readonly #asked: Asked;

  constructor(of: MemoryCollection, asked: Asked) {
    this.#of = of;
    this.#asked = asked;
  }

  where(field: string, comparison: '<' | '>=', bound: Timestamp): MemoryQuery {
    return this.#with({ bounds: [...this.#asked.bounds, { field, comparison, bound }] });
  }

  orderBy(_field: string | FieldPath, direction: 'asc' | 'desc' = 'asc'): MemoryQuery {
    return this.#with({ descending: direction === 'desc' });
  }

  startAfter(at: Timestamp, id: string): MemoryQuery {
    return this.#with({ after: { at, id } });
  }

  /** Whole documents are answered all the same. */
  select(..._fields: readonly string[]): this {
    return this;
  }

  limit(limit: number): MemoryQuery {
    return this.#with({ limit });
  }

  async get() {
    const { bounds, descending = false, after, limit } = this.#asked;
    const [{ field } = { field: '' }] = bounds;
    const placed = (await this.#of.owner.query(this.#of.path)).flatMap((snapshot) => {
      const at: unknown = snapshot.get(field);
      return at instanceof Timestamp ? [{ at, id: snapshot.id, snapshot }] : [];
    });
    const docs = placed
      .filter(({ at }) =>
        bounds.every(({ comparison, bound }) => (comparison === '<' ? at < bound : at >= bound)),
      )
      .sort((a, b) => (descending ? compare(b, a) : compare(a, b)))
      .filter(
        (each) => after === undefined || (descending ? compare(each, after) < 0 : compare(each, after) > 0),
      )
      .slice(0, limit)
      .map(({ snapshot }) => snapshot);
    return { docs, size: docs.length, empty: docs.length === 0 };
  }

  #with(more: Partial<Asked>): MemoryQuery {
    return new MemoryQuery(this.#of, { ...this.#asked, ...more });
  }
}

interface Placed {
  readonly at: Timestamp;
  readonly id: string;
}

function compare(a: Placed, b: Placed): number {
  if (!a.at.isEqual(b.at)) return a.at < b.at ? -1 : 1;
  if (a.id === b.id) return 0;
  return a.id < b.id ? -1 : 1;
}

/** Sums over a collection's fields, the only aggregation that the service asks for. */
export class MemoryAggregate {
  readonly #of: MemoryCollection;
  readonly #fields: Readonly<Record<string, AggregateField<number>>>;

  constructor(of: MemoryCollection, fields: Readonly<Record<string, AggregateField<number>>>) {
    this.#of = of;
    this.#fields = fields;
  }

  async get() {
    const { docs } = await this.#of.get();
    const sums = Object.entries(this.#fields).map(([name, aggregated]) => {
      const { aggregateType, _field } = aggregated as unknown as { aggregateType: string; _field: string };
      if (aggregateType !== 'sum') throw new Error(`no ${aggregateType} in memory`);
      return [name, docs.reduce((sum, doc) => sum + Number(doc.get(_field) ?? 0), 0)];
    });
    return { data: () => Object.fromEntries(sums) as Record<string, number> };
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
  async get(query: MemoryQuery): Promise<Awaited<ReturnType<MemoryQuery['get']>>>;
  async get(ref: MemoryRef): Promise<MemorySnapshot>;
  async get(ref: MemoryRef | MemoryAggregate | MemoryQuery) {
    if (ref instanceof MemoryAggregate) return ref.get();
    if (ref instanceof MemoryQuery) {
      const found = await ref.get();
      for (const snapshot of found.docs) this.#read(snapshot);
      return found;
    }
    const [snapshot] = await this.getAll(ref);
    if (snapshot === undefined) throw new Error('a read answers one snapshot for each document');
    return snapshot;
  }

  async getAll(...refs: readonly MemoryRef[]): Promise<MemorySnapshot[]> {
    if (this.writes.length > 0) throw new Error('Firestore transactions read before they write');
    const snapshots = await this.owner.getAll(...refs);
    for (const snapshot of snapshots) this.#read(snapshot);
    return snapshots;
  }

  #read({ ref, version }: MemorySnapshot): void {
    if (!this.#reads.has(ref.path)) this.#reads.set(ref.path, version);
  }

  async commit(): Promise<void> {
    await this.owner.commit(this.writes, this.#reads);
  }
}

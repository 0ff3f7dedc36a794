import { type DocumentData, FieldValue, Timestamp } from 'firebase-admin/firestore';

// What a write does to the documents of memory-firestore.ts, and what Firestore refuses.

export interface Stored {
  readonly data: DocumentData;
  readonly version: number;
}

/** `before`: as the documents were when the commit began. */
export type Write = (
  documents: Map<string, Stored>,
  version: number,
  before: ReadonlyMap<string, Stored>,
) => void;

/** gRPC's codes, as the real client throws them. */
export const CODE = { NOT_FOUND: 5, ALREADY_EXISTS: 6, FAILED_PRECONDITION: 9, ABORTED: 10 } as const;

export class FirestoreError extends Error {
  readonly code: number;

  constructor(code: keyof typeof CODE, path: string) {
    super(`${CODE[code]} ${code}: ${path}`);
    this.code = CODE[code];
  }
}

/** A version as an update time: each commit has its own. */
export function timeOf(version: number): Timestamp {
  return new Timestamp(1_700_000_000 + Math.floor(version / 1_000_000), (version % 1_000_000) * 1_000);
}

export interface Precondition {
  readonly lastUpdateTime?: Timestamp;
  readonly exists?: boolean;
}

export function createWrite(path: string, data: DocumentData): Write {
  const kept = checked(data, path);
  return (documents, version) => {
    if (documents.has(path)) throw new FirestoreError('ALREADY_EXISTS', path);
    documents.set(path, { data: kept, version });
  };
}

export interface SetOptions {
  readonly merge?: boolean;
  readonly mergeFields?: readonly string[];
}

export function setWrite(path: string, data: DocumentData, options: SetOptions = {}): Write {
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

export function updateWrite(path: string, data: DocumentData, precondition: Precondition = {}): Write {
  const kept = checked(data, path);
  return (documents, version, unwritten) => {
    const before = documents.get(path);
    if (before === undefined) throw new FirestoreError('NOT_FOUND', path);
    const { lastUpdateTime } = precondition;
    // Also where an earlier write of the same commit has changed it: so does the emulator.
    const known = unwritten.get(path)?.version ?? before.version;
    if (lastUpdateTime !== undefined && !lastUpdateTime.isEqual(timeOf(known))) {
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

export function isPlain(value: unknown): value is DocumentData {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** A copy that later changes do not reach; timestamps never change and are shared. */
function structuredCopy(value: DocumentData): DocumentData {
  return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, copy(inner)]));
}

function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  return isPlain(value) ? structuredCopy(value) : value;
}

/** Firestore refuses undefined, and fields that it would not give back as they were. */
function checked(value: DocumentData, path: string): DocumentData {
  const check = (inner: unknown, field: string): void => {
    const isLegal =
      inner === null ||
      ['string', 'number', 'boolean'].includes(typeof inner) ||
      inner instanceof Timestamp ||
      inner instanceof Date ||
      isDeletion(inner);
    if (Array.isArray(inner)) for (const [index, item] of inner.entries()) check(item, `${field}[${index}]`);
    else if (isPlain(inner)) for (const [key, item] of Object.entries(inner)) check(item, `${field}.${key}`);
    else if (!isLegal) throw new Error(`Firestore cannot hold ${String(inner)} in ${path} ${field}`);
  };
  check(value, '');
  return structuredCopy(value);
}

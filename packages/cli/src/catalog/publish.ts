import type { Catalog } from '@extension-billing/contract/catalog';
import {
  type PublishedCatalog,
  publishedFields,
  readPublished,
} from '@extension-billing/contract/published-catalog';
import { type DocumentSnapshot, type Firestore, Timestamp } from 'firebase-admin/firestore';
import { paths } from '../../../../functions/src/store/documents.ts';
import { transact } from '../../../../functions/src/store/transact.ts';

/** What is in force, and which number the next version gets. */
export interface InForce {
  /** Null while none was published: then each build's own file is in force. */
  readonly published: PublishedCatalog | null;
  /** The highest number so far, 0 before the first. */
  readonly newest: number;
  /** When it was put in force; another one in between is another instant. */
  readonly since: number;
  /** The version that was in force before the published one was made; null if it was the first. */
  readonly before: number | null;
}

/** @throws Error where the published one cannot be read: nothing can be compared with it then */
export async function readInForce(firestore: Firestore): Promise<InForce> {
  return inForceIn(await paths.catalog(firestore, 'current').get());
}

function inForceIn(snapshot: DocumentSnapshot | undefined): InForce {
  if (snapshot?.exists !== true) return { published: null, newest: 0, since: 0, before: null };
  const published = readPublished(snapshot.data());
  if (published === null) {
    throw new Error('billing_catalog/current is of a form that this version does not know. Update it first.');
  }
  const newest: unknown = snapshot.get('newest');
  return {
    published,
    newest: typeof newest === 'number' ? newest : published.version,
    since: millisOf(snapshot.get('publishedAt')),
    before: beforeOf(snapshot, published),
  };
}

/** Versions from before this was recorded followed the one of the number below. */
function beforeOf(snapshot: DocumentSnapshot, { version }: PublishedCatalog): number | null {
  const before: unknown = snapshot.get('before') ?? version - 1;
  return typeof before === 'number' && before > 0 ? before : null;
}

/** Somebody published while this was being looked at: what was confirmed is not what would happen. */
export class PublishedMeanwhile extends Error {
  constructor() {
    super('Somebody published another catalogue meanwhile. Nothing was done; look at the differences again.');
  }
}

/**
 * Publishes a catalogue: its version, which nobody ever changes, and that it is in force, in one transaction.
 *
 * @param seen what was in force when the owner said yes
 * @returns its version
 * @throws PublishedMeanwhile
 */
export async function publish(
  firestore: Firestore,
  catalog: Catalog,
  seen: InForce,
  note: string | null,
): Promise<number> {
  const version = seen.newest + 1;
  const publishedAt = Timestamp.now();
  const before = seen.published?.version ?? 0;
  const fields = {
    ...publishedFields({ version, catalog }),
    ...{ publishedAt, before, ...(note !== null && { note }) },
  };
  await putInForce(firestore, seen, { ...fields, newest: version }, fields);
  return version;
}

/**
 * Puts an earlier version in force again. Its number stays, and so do all the others.
 *
 * @throws PublishedMeanwhile
 */
export async function bringBack(firestore: Firestore, back: PastVersion, seen: InForce): Promise<void> {
  const current = {
    ...publishedFields(back),
    ...{ publishedAt: Timestamp.now(), before: back.before ?? 0, newest: seen.newest },
  };
  await putInForce(firestore, seen, current, null);
}

async function putInForce(
  firestore: Firestore,
  seen: InForce,
  current: { readonly version: number; readonly publishedAt: Timestamp; readonly newest: number },
  version: object | null,
): Promise<void> {
  const ref = paths.catalog(firestore, 'current');
  await transact(firestore, async (transaction, mayBeWritten) => {
    const [now] = await transaction.getAll(ref);
    const { newest, since } = inForceIn(now);
    // The answer to an earlier attempt was lost: what is in force is what this put there.
    if (mayBeWritten && since === current.publishedAt.toMillis()) return;
    if (newest !== seen.newest || since !== seen.since) throw new PublishedMeanwhile();
    if (version !== null) transaction.create(paths.catalog(firestore, String(current.version)), version);
    transaction.set(ref, current);
  });
}

interface PastVersion extends PublishedCatalog {
  readonly before: number | null;
}

/** A version that was published at some time; null if there is none with this number. */
export async function readVersion(firestore: Firestore, version: number): Promise<PastVersion | null> {
  const snapshot = await paths.catalog(firestore, String(version)).get();
  const published = readPublished(snapshot.data());
  return published === null ? null : { ...published, before: beforeOf(snapshot, published) };
}

export interface ListedVersion {
  readonly version: number;
  readonly publishedAt: number;
  readonly note: string;
}

/** All versions, the newest first. */
export async function listVersions(firestore: Firestore): Promise<readonly ListedVersion[]> {
  const { docs } = await firestore.collection('billing_catalog').get();
  return docs
    .filter(({ id }) => id !== 'current')
    .map((found) => ({
      version: Number(found.get('version')),
      publishedAt: millisOf(found.get('publishedAt')),
      note: String(found.get('note') ?? ''),
    }))
    .sort((a, b) => b.version - a.version);
}

function millisOf(value: unknown): number {
  return value instanceof Timestamp ? value.toMillis() : 0;
}

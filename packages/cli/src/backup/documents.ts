import * as v from 'valibot';
import { PROJECT_ID } from '../local/suite.ts';
import { askEmulator, EmulatorRefused } from './emulator.ts';

// Every document of an emulator's Firestore, read as of one moment and put back, a page at a time.

const DATABASE = `projects/${PROJECT_ID}/databases/(default)`;
/** Where most documents lie: below these, users' ledgers. Below others there should be nothing; it is looked for if there is. */
const WITH_LEDGERS = 'customers';
const DOCUMENTS_A_PAGE = 300;
/** Of what is written at once, in characters: the emulator takes no request that is several times as long. */
const COMMIT_LENGTH = 4 * 1024 * 1024;
/** Documents below one that are read at once. */
const BELOW_A_PAGE = 1_000;
/** Documents below which is looked at once. */
const AT_ONCE = 8;

/** A document in Firestore's own JSON, which keeps the type of every value. */
export interface StoredDocument {
  readonly name: string;
  readonly fields?: object;
}

/** One moment of a database. */
export const Snapshot = v.object({
  /** By its time, or by the transaction of an emulator that reads no earlier time. */
  selector: v.union([v.object({ readTime: v.string() }), v.object({ transaction: v.string() })]),
  /** How many documents there were. */
  documents: v.number(),
});
export type Snapshot = v.InferOutput<typeof Snapshot>;

/** How far a snapshot is read. */
export const Place = v.object({
  collections: v.array(v.string()),
  at: v.number(),
  token: v.nullable(v.string()),
  /** Only what lies below the documents is read now. */
  isBelow: v.boolean(),
  documents: v.number(),
});
export type Place = v.InferOutput<typeof Place>;

/** This moment of a database. */
export async function takeSnapshot(host: string): Promise<Snapshot> {
  const { transaction } = (await ask(host, '', 'beginTransaction', { options: { readOnly: {} } })) as {
    readonly transaction: string;
  };
  const counted = (await ask(host, '', 'runAggregationQuery', { transaction, ...COUNT_ALL })) as readonly {
    readonly readTime?: string;
    readonly result?: { readonly aggregateFields: { readonly all: { readonly integerValue: string } } };
  }[];
  const readTime = counted.find((part) => part.readTime !== undefined)?.readTime ?? '';
  const documents = Number(counted.find(({ result }) => result)?.result?.aggregateFields.all.integerValue);
  const isKept = await ask(host, '', 'listCollectionIds', { readTime }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof EmulatorRefused) return false;
      throw error;
    },
  );
  return { selector: isKept ? { readTime } : { transaction }, documents };
}

const COUNT_ALL = {
  structuredAggregationQuery: {
    structuredQuery: { from: [{ allDescendants: true }] },
    aggregations: [{ alias: 'all', count: {} }],
  },
};

/**
 * Every document of every collection, as they all were at one moment. Each is asked for once: an emulator that reads a
 * query's results from the start for each page would take a time that grows with the square.
 *
 * @param from where the run before ended
 * @param write is called for several documents at once
 * @returns after each page, where a later run goes on
 * @throws EmulatorRefused also where the moment is gone: emulators keep an hour
 */
export async function* readDocuments(
  host: string,
  { selector, documents }: Snapshot,
  from: Place | null,
  write: (document: StoredDocument) => Promise<void>,
): AsyncGenerator<Place> {
  let place = from ?? {
    ...{ at: 0, token: null, isBelow: false, documents: 0 },
    collections: await collectionsOf(host, selector),
  };
  let written = place.documents;
  const count = async (document: StoredDocument): Promise<void> => {
    written += 1;
    await write(document);
  };
  for (;;) {
    const collection = place.collections[place.at];
    if (collection === undefined) {
      if (written === documents) return;
      if (place.isBelow) throw new Error(`${written} of ${documents} documents were found`);
      const collections = place.collections.filter((each) => each !== WITH_LEDGERS);
      place = { collections, at: 0, token: null, isBelow: true, documents: written };
      continue;
    }
    const page = await listPage(host, collection, selector, place.token);
    if (!place.isBelow) for (const document of page.documents) await count(document);
    if (place.isBelow || collection === WITH_LEDGERS) {
      const left = page.names.values();
      const one = async (): Promise<void> => {
        for (const name of left) {
          for await (const document of documentsBelow(host, name, selector)) await count(document);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, one));
    }
    const next = page.token === null ? { at: place.at + 1, token: null } : { token: page.token };
    place = { ...place, ...next, documents: written };
    yield place;
  }
}

interface Page {
  readonly documents: readonly StoredDocument[];
  /** With those that are not there, but have documents below. */
  readonly names: readonly string[];
  readonly token: string | null;
}

async function listPage(
  host: string,
  collection: string,
  selector: Snapshot['selector'],
  token: string | null,
): Promise<Page> {
  const query = new URLSearchParams({
    ...{ pageSize: String(DOCUMENTS_A_PAGE), showMissing: 'true', ...selector },
    ...(token !== null && { pageToken: token }),
  });
  const url = `http://${host}/v1/${DATABASE}/documents/${encodeURIComponent(collection)}?${query}`;
  const { documents = [], nextPageToken } = (await askEmulator('GET', url)) as {
    readonly documents?: readonly (StoredDocument & { readonly updateTime?: string })[];
    readonly nextPageToken?: string;
  };
  return {
    documents: documents.filter(({ updateTime }) => updateTime !== undefined).map(stored),
    names: documents.map(({ name }) => name),
    token: nextPageToken || null,
  };
}

async function* documentsBelow(
  host: string,
  name: string,
  selector: Snapshot['selector'],
): AsyncGenerator<StoredDocument> {
  const path = name.slice(`${DATABASE}/documents`.length).split('/').map(encodeURIComponent).join('/');
  let last: string | null = null;
  do {
    const rows = (await ask(host, path, 'runQuery', {
      ...selector,
      structuredQuery: {
        from: [{ allDescendants: true }],
        orderBy: [{ field: { fieldPath: '__name__' } }],
        limit: BELOW_A_PAGE,
        ...(last !== null && { startAt: { values: [{ referenceValue: last }], before: false } }),
      },
    })) as readonly { readonly document?: StoredDocument }[];
    const found = rows.flatMap(({ document }) => (document === undefined ? [] : [document]));
    yield* found.map(stored);
    last = found.length < BELOW_A_PAGE ? null : (found.at(-1)?.name ?? null);
  } while (last !== null);
}

function stored({ name, fields }: StoredDocument): StoredDocument {
  return { name, ...(fields !== undefined && { fields }) };
}

async function collectionsOf(host: string, selector: Snapshot['selector']): Promise<string[]> {
  const found: string[] = [];
  let pageToken: string | undefined;
  do {
    const page = (await ask(host, '', 'listCollectionIds', {
      ...selector,
      ...(pageToken && { pageToken }),
    })) as {
      readonly collectionIds?: readonly string[];
      readonly nextPageToken?: string;
    };
    found.push(...(page.collectionIds ?? []));
    pageToken = page.nextPageToken;
  } while (pageToken);
  return found;
}

function ask(host: string, path: string, method: string, body: object): Promise<unknown> {
  return askEmulator('POST', `http://${host}/v1/${DATABASE}/documents${path}:${method}`, body);
}

/** Takes everything away. */
export async function removeDocuments(host: string): Promise<void> {
  await askEmulator('DELETE', `http://${host}/emulator/v1/${DATABASE}/documents`);
}

/** Writes documents over what is there, and says after each commit how many there were. */
export async function* writeDocuments(
  host: string,
  documents: AsyncIterable<StoredDocument>,
): AsyncGenerator<number> {
  let [waiting, length]: [StoredDocument[], number] = [[], 0];
  const write = async (): Promise<number> => {
    const writes = waiting.map((document) => ({ update: { fields: {}, ...document } }));
    [waiting, length] = [[], 0];
    await ask(host, '', 'commit', { writes });
    return writes.length;
  };
  for await (const document of documents) {
    const more = JSON.stringify(document).length;
    const isFull = waiting.length === DOCUMENTS_A_PAGE || length + more > COMMIT_LENGTH;
    if (waiting.length > 0 && isFull) yield await write();
    waiting.push(document);
    length += more;
  }
  if (waiting.length > 0) yield await write();
}

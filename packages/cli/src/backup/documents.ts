import { PROJECT_ID } from '../local/suite.ts';
import { askEmulator, EmulatorRefused } from './emulator.ts';

// Every document of an emulator's Firestore, read as of one moment and put back.

const DATABASE = `projects/${PROJECT_ID}/databases/(default)`;
const DOCUMENTS_A_PAGE = 300;
/** Of what is written at once, in characters: the emulator takes no request that is several times as long. */
const COMMIT_LENGTH = 4 * 1024 * 1024;

/** A document in Firestore's own JSON, which keeps the type of every value. */
export interface StoredDocument {
  readonly name: string;
  readonly fields?: object;
}

/** One moment of a database. */
export interface Snapshot {
  /** By its time, or by the transaction of an emulator that reads no earlier time. */
  readonly selector: { readonly readTime: string } | { readonly transaction: string };
  /** How many documents there were. */
  readonly documents: number;
}

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
 * Every document, also below documents that don't exist, as of one moment.
 *
 * @throws EmulatorRefused also if the moment is gone: emulators keep an hour
 */
export async function* readDocuments(
  host: string,
  { selector, documents }: Snapshot,
): AsyncGenerator<StoredDocument> {
  let read = 0;
  let last: string | null = null;
  do {
    const rows = (await ask(host, '', 'runQuery', {
      ...selector,
      structuredQuery: {
        from: [{ allDescendants: true }],
        orderBy: [{ field: { fieldPath: '__name__' } }],
        limit: DOCUMENTS_A_PAGE,
        ...(last !== null && { startAt: { values: [{ referenceValue: last }], before: false } }),
      },
    })) as readonly { readonly document?: StoredDocument }[];
    const found = rows.flatMap(({ document }) => (document === undefined ? [] : [document]));
    for (const { name, fields } of found) yield { name, ...(fields !== undefined && { fields }) };
    read += found.length;
    last = found.length < DOCUMENTS_A_PAGE ? null : (found.at(-1)?.name ?? null);
  } while (last !== null);
  if (read !== documents) throw new Error(`${read} of ${documents} documents were found`);
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

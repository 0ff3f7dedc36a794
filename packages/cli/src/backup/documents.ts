import { PROJECT_ID } from '../../../../tools/suite/settings.ts';
import { askEmulator } from './emulated.ts';

const DATABASE = `projects/${PROJECT_ID}/databases/(default)`;
const PAGE = 300;

/** A document in Firestore's own JSON, which keeps the type of every value. */
export interface StoredDocument {
  readonly name: string;
  readonly fields?: object;
}

/** Every document of every collection, as they all were at one moment, a page at a time. */
export async function* readDocuments(host: string): AsyncGenerator<StoredDocument> {
  const documents = `http://${host}/v1/${DATABASE}/documents`;
  const { transaction } = (await askEmulator('POST', `${documents}:beginTransaction`, {
    options: { readOnly: {} },
  })) as { transaction: string };
  let last: string | null = null;
  do {
    const rows = (await askEmulator('POST', `${documents}:runQuery`, {
      transaction,
      structuredQuery: {
        from: [{ allDescendants: true }],
        orderBy: [{ field: { fieldPath: '__name__' } }],
        limit: PAGE,
        ...(last !== null && { startAt: { values: [{ referenceValue: last }], before: false } }),
      },
    })) as readonly { document?: StoredDocument }[];
    const found = rows.flatMap(({ document }) => (document === undefined ? [] : [document]));
    for (const { name, fields } of found) yield { name, ...(fields !== undefined && { fields }) };
    last = found.length < PAGE ? null : (found.at(-1)?.name ?? null);
  } while (last !== null);
}

/** Puts these documents in place of all that are there. */
export async function replaceDocuments(
  host: string,
  documents: AsyncIterable<StoredDocument> | Iterable<StoredDocument>,
): Promise<void> {
  await askEmulator('DELETE', `http://${host}/emulator/v1/${DATABASE}/documents`);
  let waiting: StoredDocument[] = [];
  const write = async (): Promise<void> => {
    const writes = waiting.map((document) => ({ update: { fields: {}, ...document } }));
    waiting = [];
    await askEmulator('POST', `http://${host}/v1/${DATABASE}/documents:commit`, { writes });
  };
  for await (const document of documents) {
    waiting.push(document);
    if (waiting.length === PAGE) await write();
  }
  if (waiting.length > 0) await write();
}

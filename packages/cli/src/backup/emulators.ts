import { PROJECT_ID } from '../local/suite.ts';

/** Asks an emulator as its owner, past all rules. @throws Error with the emulator's own message. */
export async function askEmulator(method: string, url: string, body?: object): Promise<unknown> {
  const response = await fetch(url, {
    method,
    headers: { authorization: 'Bearer owner', 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url} answered ${response.status}: ${text.slice(0, 300)}`);
  return text === '' ? {} : JSON.parse(text);
}

const DATABASE = `projects/${PROJECT_ID}/databases/(default)`;
const DOCUMENTS_A_PAGE = 300;

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
        limit: DOCUMENTS_A_PAGE,
        ...(last !== null && { startAt: { values: [{ referenceValue: last }], before: false } }),
      },
    })) as readonly { document?: StoredDocument }[];
    const found = rows.flatMap(({ document }) => (document === undefined ? [] : [document]));
    for (const { name, fields } of found) yield { name, ...(fields !== undefined && { fields }) };
    last = found.length < DOCUMENTS_A_PAGE ? null : (found.at(-1)?.name ?? null);
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
    if (waiting.length === DOCUMENTS_A_PAGE) await write();
  }
  if (waiting.length > 0) await write();
}

const USERS_A_PAGE = 1_000;

/** Every auth user as the emulator exports it, with its password's (pretended) hash and its claims. */
export async function readUsers(host: string): Promise<readonly object[]> {
  const users: object[] = [];
  let token: string | undefined;
  do {
    const query = new URLSearchParams({
      maxResults: String(USERS_A_PAGE),
      ...(token && { nextPageToken: token }),
    });
    const page = (await askEmulator('GET', `${accounts(host)}:batchGet?${query}`)) as {
      readonly users?: readonly object[];
      readonly nextPageToken?: string;
    };
    users.push(...(page.users ?? []));
    token = page.nextPageToken;
  } while (token);
  return users;
}

/** Puts these users in place of all that are there. @throws Error where the emulator does not take one. */
export async function replaceUsers(host: string, users: readonly object[]): Promise<void> {
  await askEmulator('DELETE', `http://${host}/emulator/v1/projects/${PROJECT_ID}/accounts`);
  for (let start = 0; start < users.length; start += USERS_A_PAGE) {
    const batch = { users: users.slice(start, start + USERS_A_PAGE) };
    const { error = [] } = (await askEmulator('POST', `${accounts(host)}:batchCreate`, batch)) as {
      readonly error?: readonly { readonly index: number; readonly message: string }[];
    };
    const [first] = error;
    if (first !== undefined) throw new Error(`user ${start + first.index} was not taken: ${first.message}`);
  }
}

function accounts(host: string): string {
  return `http://${host}/identitytoolkit.googleapis.com/v1/projects/${PROJECT_ID}/accounts`;
}

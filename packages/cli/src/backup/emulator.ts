import { PROJECT_ID } from '../local/suite.ts';

/** Asks an emulator as its owner, past all rules. @throws EmulatorRefused with the emulator's own message. */
export async function askEmulator(method: string, url: string, body?: object): Promise<unknown> {
  const response = await fetch(url, {
    method,
    headers: { authorization: 'Bearer owner', 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) {
    throw new EmulatorRefused(`${method} ${url} answered ${response.status}: ${text.slice(0, 300)}`);
  }
  return text === '' ? {} : JSON.parse(text);
}

export class EmulatorRefused extends Error {}

const USERS_A_PAGE = 1_000;

/** Every auth user as the emulator exports it, with its password's (pretended) hash and its claims. */
export async function* readUsers(host: string): AsyncGenerator<object> {
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
    yield* page.users ?? [];
    token = page.nextPageToken;
  } while (token);
}

/** Puts these users in place of all that are there. @throws Error where the emulator does not take one. */
export async function replaceUsers(host: string, users: AsyncIterable<object>): Promise<void> {
  await askEmulator('DELETE', `http://${host}/emulator/v1/projects/${PROJECT_ID}/accounts`);
  let waiting: object[] = [];
  let written = 0;
  const write = async (): Promise<void> => {
    const { error = [] } = (await askEmulator('POST', `${accounts(host)}:batchCreate`, {
      users: waiting,
    })) as {
      readonly error?: readonly { readonly index: number; readonly message: string }[];
    };
    const [first] = error;
    if (first !== undefined) throw new Error(`user ${written + first.index} was not taken: ${first.message}`);
    written += waiting.length;
    waiting = [];
  };
  for await (const user of users) {
    waiting.push(user);
    if (waiting.length === USERS_A_PAGE) await write();
  }
  if (waiting.length > 0) await write();
}

function accounts(host: string): string {
  return `http://${host}/identitytoolkit.googleapis.com/v1/projects/${PROJECT_ID}/accounts`;
}

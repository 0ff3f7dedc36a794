import { PROJECT_ID } from '../../../../tools/suite/settings.ts';
import { askEmulator } from './emulated.ts';

const PAGE = 1_000;

/** Every auth user as the emulator exports it, with its password's (pretended) hash and its claims. */
export async function readUsers(host: string): Promise<readonly object[]> {
  const users: object[] = [];
  let token: string | undefined;
  do {
    const query = new URLSearchParams({ maxResults: String(PAGE), ...(token && { nextPageToken: token }) });
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
  for (let start = 0; start < users.length; start += PAGE) {
    const batch = { users: users.slice(start, start + PAGE) };
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

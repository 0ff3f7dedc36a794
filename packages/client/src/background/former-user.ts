/** Until November 2026 billing used Firebase's app without a name, and its user was stored under this one. */
const FORMER_APP = '[DEFAULT]';

/** What the SDK's own store of users can do, as far as it is needed here. */
export interface UserStore {
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown): Promise<void>;
  remove(key: string): Promise<void>;
}

/** Where the SDK keeps the user of an app. */
export function userKeyOf(apiKey: string, appName: string): string {
  return `firebase:authUser:${apiKey}:${appName}`;
}

/**
 * The stored user. A user whom an earlier version stored is moved once, so that an update signs nobody out. Only the one
 * whom billing's snapshot names: the nameless app is the extension's own now, and its user may be somebody else.
 *
 * @param mirroredUid whose snapshot billing holds; asked only where a move is possible.
 */
export async function readStoredUser(
  store: UserStore,
  apiKey: string,
  appName: string,
  mirroredUid: () => Promise<string | null>,
): Promise<unknown> {
  const key = userKeyOf(apiKey, appName);
  const user = await store.get(key);
  const formerKey = userKeyOf(apiKey, FORMER_APP);
  if ((user !== null && user !== undefined) || formerKey === key) return user;
  const former = await store.get(formerKey);
  if (!isUser(former) || former.uid !== (await mirroredUid())) return null;
  await store.set(key, former);
  await store.remove(formerKey);
  return former;
}

function isUser(value: unknown): value is { readonly uid: string } {
  return typeof value === 'object' && value !== null && 'uid' in value && typeof value.uid === 'string';
}

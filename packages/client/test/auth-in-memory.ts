import { type FirebaseApp, initializeApp } from 'firebase/app';
import { vi } from 'vitest';

/** What the SDK keeps in the browser's database; `hangs` makes every read wait for ever, `fails` refuses all of it. */
export const authStorage = {
  items: new Map<string, unknown>(),
  hangs: false,
  fails: false,
  /** Runs before each removal, which waits for it. */
  beforeRemoval: async (): Promise<void> => {},
};

/** The SDK's persistence as its own code calls it, in memory. */
class InMemoryPersistence {
  static readonly type = 'LOCAL';
  readonly type = 'LOCAL';
  readonly _shouldAllowMigration = true;
  async _isAvailable(): Promise<boolean> {
    return !authStorage.fails;
  }
  async _set(key: string, value: unknown): Promise<void> {
    authStorage.items.set(key, structuredClone(value));
  }
  async _get(key: string): Promise<unknown> {
    if (authStorage.hangs) return new Promise(() => {});
    if (authStorage.fails) throw new DOMException('Internal error opening backing store', 'UnknownError');
    return structuredClone(authStorage.items.get(key) ?? null);
  }
  async _remove(key: string): Promise<void> {
    await authStorage.beforeRemoval();
    authStorage.items.delete(key);
  }
  _addListener(): void {}
  _removeListener(): void {}
}

/** For `vi.mock('firebase/auth/web-extension', …)`: the real SDK, but for the browser's database. */
export async function sdkWithStorageInMemory(): Promise<object> {
  const sdk = await vi.importActual<object>('firebase/auth/web-extension');
  return { ...sdk, indexedDBLocalPersistence: InMemoryPersistence };
}

const API_KEY = 'key';
let apps = 0;
/** An app of its own, in whose database `user` is signed in, with a token that is over; nobody where there is none. */
export function appWith(
  user: { uid: string; isAnonymous?: boolean } | null,
  { expirationTime = 1 }: { readonly expirationTime?: number } = {},
): { app: FirebaseApp; storedUser: () => unknown } {
  apps += 1;
  const app = initializeApp({ projectId: 'demo', apiKey: API_KEY }, `app-${apps}`);
  const key = `firebase:authUser:${API_KEY}:${app.name}`;
  if (user !== null) {
    authStorage.items.set(key, {
      email: user.isAnonymous === true ? null : `${user.uid}@example.test`,
      emailVerified: false,
      isAnonymous: false,
      providerData: [],
      stsTokenManager: { refreshToken: 'stored', accessToken: aToken(user.uid), expirationTime },
      createdAt: '1',
      lastLoginAt: '1',
      apiKey: API_KEY,
      appName: app.name,
      ...user,
    });
  }
  return { app, storedUser: () => authStorage.items.get(key) ?? null };
}

/** An ID token, unsigned: the SDK only reads when it ends. */
export function aToken(uid: string, claims: object = {}): string {
  const now = Math.floor(Date.now() / 1000);
  const part = (value: object): string => btoa(JSON.stringify(value)).replace(/=+$/, '');
  return `${part({ alg: 'none' })}.${part({ sub: uid, auth_time: now, iat: now, exp: now + 3_600, ...claims })}.x`;
}

type Answer = (url: string, body: Readonly<Record<string, unknown>>) => Response | Promise<Response>;
/** Google's two services of accounts and tokens. Gives the list of what they were asked, by path. */
export function authServiceThat(answer: Answer): string[] {
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (url: string | URL, init: RequestInit = {}) => {
    const path = new URL(url).pathname;
    asked.push(path);
    return answer(path, path.endsWith('/token') ? {} : JSON.parse(String(init.body ?? '{}')));
  });
  return asked;
}
/** How both services refuse. */
export const refusal = (message: string, status = 400): Response =>
  Response.json({ error: { code: status, message } }, { status });
/** A renewed token of this user. */
export const renewal = (uid: string, claims: object = {}): Response =>
  Response.json({
    access_token: aToken(uid, claims),
    id_token: aToken(uid, claims),
    refresh_token: 'renewed',
    expires_in: '3600',
    user_id: uid,
  });

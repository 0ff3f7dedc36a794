import { afterEach, expect, it, vi } from 'vitest';
import {
  appWith,
  aToken,
  authServiceThat,
  authStorage,
  refusal,
  renewal,
} from '../../test/auth-in-memory.ts';
import { fakeStorage } from '../../test/fake-storage-area.ts';
import { createHostSession } from './host-session.ts';
import { createSessionNews } from './session-memory.ts';

vi.mock('firebase/auth/web-extension', async () => {
  const { sdkWithStorageInMemory } = await import('../../test/auth-in-memory.ts');
  return sdkWithStorageInMemory();
});
afterEach(() => {
  authStorage.hangs = false;
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const CONFIG = { apiBaseUrl: '', firebase: { projectId: 'demo', apiKey: 'key' } };
const IN_AN_HOUR = Date.now() + 3_600_000;

/** As `user.toJSON()` of the host's SDK. */
function json(
  uid: string,
  more: object = {},
  { expirationTime = IN_AN_HOUR, refreshToken = `of-${uid}` } = {},
) {
  const accessToken = aToken(uid, { aud: 'demo' });
  const email = `${uid}@host.test`;
  const stsTokenManager = { accessToken, refreshToken, expirationTime };
  return { uid, email, emailVerified: true, isAnonymous: false, providerData: [], stsTokenManager, ...more };
}
const ADA = { uid: 'ada', email: 'ada@host.test', displayName: null, isAnonymous: false };
const customTokenOf = (uid: string): string => `x.${btoa(JSON.stringify({ uid }))}.x`;
/** The auth service, which takes every custom token and gives and renews tokens. */
const SERVICE = (path: string, body: Readonly<Record<string, unknown>>): Response => {
  const uid = path.endsWith(':signInWithCustomToken')
    ? JSON.parse(atob(String(body.token).split('.')[1] ?? '')).uid
    : String(JSON.parse(atob(String(body.idToken ?? aToken('ada')).split('.')[1] ?? '')).sub);
  if (path.endsWith(':lookup')) return Response.json({ users: [{ localId: uid }] });
  if (path.endsWith('/token')) return renewal('ada');
  return Response.json({ idToken: aToken(uid), refreshToken: `new-${uid}`, expiresIn: '3600' });
};

interface Options {
  readonly customToken?: (uid: string) => Promise<string>;
  readonly memory?: ReturnType<typeof fakeStorage>;
  readonly onUser?: (tell: (user: never) => void) => unknown;
  readonly app?: ReturnType<typeof appWith>;
}
/** A worker whose extension has accounts itself: with the SDK, or with custom tokens where there is a function for them. */
function worker(options: Options = {}) {
  const { customToken, memory = fakeStorage({}, 'session'), app = appWith(null) } = options;
  let say: (user: object | null) => void = () => {};
  const onUser =
    options.onUser ??
    ((tell: (user: never) => void): void => {
      say = tell as typeof say;
    });
  const changes: (string | null)[] = [];
  const followed: (string | null)[] = [];
  const warnings: string[] = [];
  const session = createHostSession({
    app: app.app,
    config: CONFIG,
    identity:
      customToken === undefined
        ? { kind: 'firebase', onUser }
        : { kind: 'custom-token', onUser, customToken },
    news: createSessionNews(memory.area, async () => null),
    onTold: (uid) => changes.push(uid),
    warn: (text) => warnings.push(text),
  });
  session.onUser((uid) => followed.push(uid));
  session.start();
  const news = () => memory.peek('billingSession');
  return {
    session,
    memory,
    changes,
    followed,
    warnings,
    news,
    storedUser: app.storedUser,
    say: (user: object | null) => say(user),
  };
}

it('serves the user of the host’s own SDK, with their tokens and without a call', async () => {
  const asked = authServiceThat(SERVICE);
  const { session, say, changes, followed, news, storedUser } = worker();
  say(json('ada'));
  expect(changes).toEqual(['ada']);
  expect(await session.session()).toEqual({ user: ADA, expired: false, host: 'ready' });
  expect(await session.token('ada')).toMatchObject({ kind: 'token' });
  await vi.waitFor(() => expect(followed.at(-1)).toBe('ada'));
  expect(asked).toEqual([]);
  // The host keeps its user. A second copy on the disk would outlive their sign-out.
  expect(storedUser()).toBeNull();
  expect(news()).toEqual({ user: ADA, expired: false, host: 'ready' });
});

it.each([
  [
    'as the SDK of another version writes them',
    { appName: '[DEFAULT]', apiKey: 'another', redirectEventId: null },
  ],
  ['of a tenant', { tenantId: 'tenant-1' }],
])('takes over a user %s', async (_what, more) => {
  authServiceThat(SERVICE);
  const { session, say } = worker();
  say(json('ada', more));
  expect(await session.token('ada')).toMatchObject({ kind: 'token' });
});

it('takes a user of the SDK for what their toJSON says', async () => {
  authServiceThat(SERVICE);
  const { session, say } = worker();
  say({ toJSON: () => json('ada') });
  expect(await session.token('ada')).toMatchObject({ kind: 'token' });
});

it('renews a token that is over, by the host’s refresh token', async () => {
  const asked = authServiceThat(SERVICE);
  const { session, say } = worker();
  say(json('ada', {}, { expirationTime: 1 }));
  expect(await session.token('ada')).toMatchObject({ kind: 'token' });
  expect(asked).toEqual(['/v1/token']);
});

it('gives nobody’s token for another, from the moment at which the host names another', async () => {
  authServiceThat(SERVICE);
  const { session, say, changes, news } = worker();
  say(json('ada'));
  await session.token('ada');
  say(json('grace'));
  // The SDK still has ada.
  expect(session.auth.currentUser?.uid).toBe('ada');
  expect(changes).toEqual(['ada', 'grace']);
  expect(await session.token('ada')).toEqual({ kind: 'account_changed' });
  expect(await session.token('grace')).toMatchObject({ kind: 'token' });
  await vi.waitFor(() => expect(news()).toMatchObject({ user: { uid: 'grace' } }));
});

it('gives no token to who left while it was fetched', async () => {
  const fetching = Promise.withResolvers<Response>();
  const asked = authServiceThat(() => fetching.promise);
  const { session, say } = worker();
  say(json('ada', {}, { expirationTime: 1 }));
  const token = session.token('ada');
  await vi.waitFor(() => expect(asked).toEqual(['/v1/token']));
  say(null);
  fetching.resolve(renewal('ada'));
  expect(await token).toEqual({ kind: 'signed_out' });
});

it('says at once that the host’s user signed out, and keeps nothing of them', async () => {
  authServiceThat(SERVICE);
  for (const customToken of [undefined, async (uid: string) => customTokenOf(uid)]) {
    const { session, say, changes, news, storedUser } = worker(customToken && { customToken });
    say(json('ada'));
    await session.token('ada');
    say(null);
    expect(changes).toEqual(['ada', null]);
    expect(await session.session()).toEqual({ user: null, expired: false, host: 'ready' });
    expect(await session.token('ada')).toEqual({ kind: 'signed_out' });
    await vi.waitFor(() => expect(session.auth.currentUser).toBeNull());
    expect(storedUser()).toBeNull();
    expect(news()).toEqual({ user: null, expired: false, host: 'ready' });
  }
});

it('shows a session that the auth service refuses, until the host hands in another of the same user', async () => {
  let isRefused = true;
  authServiceThat((path, body) => (isRefused ? refusal('USER_DISABLED') : SERVICE(path, body)));
  const { session, say, news } = worker();
  say(json('ada', {}, { expirationTime: 1 }));
  expect(await session.token('ada')).toEqual({ kind: 'signed_out' });
  await vi.waitFor(() => expect(news()).toEqual({ user: ADA, expired: true, host: 'ready' }));
  say(json('ada', {}, { expirationTime: 1 }));
  expect(await session.token('ada')).toEqual({ kind: 'signed_out' });
  expect(await session.session()).toMatchObject({ user: ADA, expired: true });
  isRefused = false;
  say(json('ada', {}, { refreshToken: 'signed in again' }));
  expect(await session.token('ada')).toMatchObject({ kind: 'token' });
  await vi.waitFor(() => expect(news()).toEqual({ user: ADA, expired: false, host: 'ready' }));
});

it('remembers over the death of the worker that the session has ended, and asks the service whether it is good again', async () => {
  let isRefused = true;
  const asked = authServiceThat((path, body) => (isRefused ? refusal('USER_DISABLED') : SERVICE(path, body)));
  const first = worker();
  first.say(json('ada', {}, { expirationTime: 1 }));
  await first.session.token('ada');
  await vi.waitFor(() => expect(first.news()).toMatchObject({ expired: true }));
  const second = worker({ memory: first.memory });
  second.say(json('ada'));
  expect(await second.session.session()).toMatchObject({ user: ADA, expired: true });
  await vi.waitFor(() => expect(asked.filter((path) => path === '/v1/token').length).toBeGreaterThan(1));
  expect(await second.session.session()).toMatchObject({ expired: true });
  isRefused = false;
  const third = worker({ memory: first.memory });
  third.say(json('ada'));
  await vi.waitFor(() => expect(third.news()).toMatchObject({ user: ADA, expired: false }));
  const other = worker({ memory: first.memory });
  other.say(json('grace'));
  expect(await other.session.session()).toMatchObject({ user: { uid: 'grace' }, expired: false });
});

it('keeps the user through an auth service that is down', async () => {
  for (const answer of [
    () => refusal('INTERNAL', 503),
    () => Promise.reject(new TypeError('Failed to fetch')),
  ]) {
    authServiceThat(answer);
    const { session, say } = worker();
    say(json('ada', {}, { expirationTime: 1 }));
    expect(['unavailable', 'unreachable']).toContain((await session.token('ada')).kind);
    say(json('ada', {}, { expirationTime: 1 }));
    expect(await session.session()).toEqual({ user: ADA, expired: false, host: 'ready' });
  }
});

it.each([
  ['no user at all', 'ada'],
  ['a user without a uid', { email: 'ada@host.test' }],
])('serves nobody while the host tells %s, least of all who was there before', async (_what, nonsense) => {
  authServiceThat(SERVICE);
  const { session, say, changes, warnings } = worker();
  say(json('ada'));
  await session.token('ada');
  say(nonsense as object);
  expect(changes).toEqual(['ada', null]);
  expect(await session.token('ada')).toEqual({ kind: 'signed_out' });
  expect(await session.session()).toEqual({ user: null, expired: false, host: 'failed' });
  expect(warnings).toHaveLength(1);
});

it.each([
  ['without tokens', json('ada', { stsTokenManager: undefined }), /toJSON/],
  [
    'of another project',
    json('ada', { stsTokenManager: { accessToken: aToken('ada', { aud: 'other' }), refreshToken: 'r' } }),
    /project other/,
  ],
  [
    'with the tokens of somebody else',
    json('ada', { stsTokenManager: json('grace').stsTokenManager }),
    /toJSON/,
  ],
])(
  'says what is wrong with a user %s, and asks for nothing with their tokens',
  async (_what, user, warning) => {
    const asked = authServiceThat(SERVICE);
    const { session, say, warnings } = worker();
    say(user);
    expect(await session.token('ada')).toEqual({ kind: 'unavailable' });
    expect(await session.session()).toMatchObject({ user: ADA, host: 'failed' });
    expect(warnings).toEqual([expect.stringMatching(warning)]);
    expect(asked).toEqual([]);
  },
);

it.each([
  [
    'throws',
    () => {
      throw new Error('secret');
    },
  ],
  ['rejects', async () => Promise.reject(new Error('secret'))],
  ['never tells', () => {}],
])(
  'says so where the host’s onUser %s: who was there last, and that nothing can be spent',
  async (_what, onUser) => {
    vi.useFakeTimers();
    const memory = fakeStorage({ billingSession: { user: ADA, expired: false } }, 'session');
    const { session, news, warnings } = worker({ onUser, memory });
    const token = session.token('ada');
    const reply = session.session();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await reply).toEqual({ user: ADA, expired: false, host: 'failed' });
    expect(await token).toEqual({ kind: 'unavailable' });
    await vi.waitFor(() => expect(news()).toEqual({ user: ADA, expired: false, host: 'failed' }));
    expect(warnings.join()).not.toContain('secret');
  },
);

it('serves the user whom a slow host names late', async () => {
  vi.useFakeTimers();
  authServiceThat(SERVICE);
  const { session, say, news } = worker();
  const reply = session.session();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await reply).toEqual({ user: null, expired: false, host: 'failed' });
  vi.useRealTimers();
  say(json('ada'));
  expect(await session.session()).toEqual({ user: ADA, expired: false, host: 'ready' });
  await vi.waitFor(() => expect(news()).toEqual({ user: ADA, expired: false, host: 'ready' }));
});

it('signs in with a custom token once, and keeps the session over the death of the worker', async () => {
  const asked = authServiceThat(SERVICE);
  const customToken = vi.fn(async (uid: string) => customTokenOf(uid));
  const app = appWith(null);
  const first = worker({ customToken, app });
  first.say({ uid: 'ada', email: 'ada@host.test' });
  expect(await first.session.token('ada')).toMatchObject({ kind: 'token' });
  expect(await first.session.session()).toEqual({ user: ADA, expired: false, host: 'ready' });
  expect(customToken).toHaveBeenCalledExactlyOnceWith('ada');
  expect(app.storedUser()).toMatchObject({ uid: 'ada' });
  first.say({ uid: 'ada', email: 'ada@host.test' });
  await first.session.token('ada');
  expect(customToken).toHaveBeenCalledOnce();
  expect(asked.filter((path) => path.endsWith(':signInWithCustomToken'))).toHaveLength(1);
});

it('asks for another custom token where the session was taken back', async () => {
  const asked = authServiceThat((path, body) =>
    path.endsWith('/token') ? refusal('TOKEN_EXPIRED') : SERVICE(path, body),
  );
  const { session, say, news } = worker({ customToken: async (uid) => customTokenOf(uid) });
  say({ uid: 'ada', email: 'ada@host.test' });
  await session.token('ada');
  expect(await session.token('ada', true)).toMatchObject({ kind: 'token' });
  expect(asked.filter((path) => path.endsWith(':signInWithCustomToken'))).toHaveLength(2);
  await vi.waitFor(() => expect(news()).toEqual({ user: ADA, expired: false, host: 'ready' }));
});

it('shows that the account is disabled, and does not ask on and on', async () => {
  const asked = authServiceThat(() => refusal('USER_DISABLED'));
  const { session, say } = worker({ customToken: async (uid) => customTokenOf(uid) });
  say({ uid: 'ada', email: 'ada@host.test' });
  expect(await session.token('ada')).toEqual({ kind: 'signed_out' });
  expect(await session.session()).toEqual({ user: ADA, expired: true, host: 'ready' });
  await session.token('ada');
  expect(asked).toHaveLength(1);
});

it.each<[string, () => Promise<string>, RegExp]>([
  [
    'throws',
    () => {
      throw new TypeError('secret');
    },
    /TypeError/,
  ],
  ['rejects', async () => Promise.reject(new Error('secret')), /Error/],
  ['gives no token', async () => 'secret', /no custom token/],
  ['gives another user’s', async () => customTokenOf('grace'), /another user/],
  ['hangs', () => new Promise(() => {}), /10 s/],
])('says so where customToken %s, and tries again', async (_what, broken, warning) => {
  vi.useFakeTimers();
  const asked = authServiceThat(SERVICE);
  let customToken: (uid: string) => Promise<string> = broken;
  const { session, say, news, warnings } = worker({ customToken: (uid) => customToken(uid) });
  say({ uid: 'ada', email: 'ada@host.test' });
  const token = session.token('ada');
  await vi.advanceTimersByTimeAsync(12_000);
  expect(await token).toEqual({ kind: 'unavailable' });
  expect(await session.session()).toEqual({ user: ADA, expired: false, host: 'failed' });
  await vi.waitFor(() => expect(news()).toEqual({ user: ADA, expired: false, host: 'failed' }));
  expect(warnings).toEqual([expect.stringMatching(warning)]);
  expect(warnings.join()).not.toContain('secret');
  expect(asked).toEqual([]);
  customToken = async (uid) => customTokenOf(uid);
  await vi.advanceTimersByTimeAsync(6_000);
  const again = session.token('ada');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await again).toMatchObject({ kind: 'token' });
  await vi.waitFor(() => expect(news()).toEqual({ user: ADA, expired: false, host: 'ready' }));
});

it('uses no custom token that came after the host named somebody else', async () => {
  authServiceThat(SERVICE);
  const slow = Promise.withResolvers<string>();
  const { session, say } = worker({
    customToken: async (uid) => (uid === 'ada' ? slow.promise : customTokenOf(uid)),
  });
  say({ uid: 'ada' });
  const adas = session.token('ada');
  say({ uid: 'grace' });
  const graces = session.token('grace');
  slow.resolve(customTokenOf('ada'));
  expect(await adas).toEqual({ kind: 'account_changed' });
  expect(await graces).toMatchObject({ kind: 'token' });
  expect(session.auth.currentUser?.uid).toBe('grace');
});

it('follows nobody whom billing still has from before, until the host names them', async () => {
  authServiceThat(SERVICE);
  const app = appWith({ uid: 'ada' }, { expirationTime: IN_AN_HOUR });
  const { session, say, followed } = worker({ customToken: async (uid) => customTokenOf(uid), app });
  expect(await session.ready()).toBe(true);
  expect(session.auth.currentUser?.uid).toBe('ada');
  expect(followed).toEqual([]);
  say({ uid: 'grace' });
  await session.token('grace');
  await vi.waitFor(() => expect(followed).toContain('grace'));
  expect(followed).not.toContain('ada');
});

it('answers within seconds while the browser’s database hangs', async () => {
  vi.useFakeTimers();
  authStorage.hangs = true;
  const { session, say } = worker({ customToken: async (uid) => customTokenOf(uid) });
  say({ uid: 'ada', email: 'ada@host.test' });
  const reply = session.session();
  const token = session.token('ada');
  await vi.advanceTimersByTimeAsync(12_000);
  expect(await reply).toEqual({ user: ADA, expired: false, host: 'ready', unreadable: true });
  expect(await token).toEqual({ kind: 'unavailable' });
});

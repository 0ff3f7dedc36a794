import {
  EmailAuthProvider,
  linkWithCredential,
  signInWithEmailAndPassword,
} from 'firebase/auth/web-extension';
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
import { createAuthSession } from './auth-session.ts';
import { createSessionNews } from './session-memory.ts';

vi.mock('firebase/auth/web-extension', async () => {
  const { sdkWithStorageInMemory } = await import('../../test/auth-in-memory.ts');
  return sdkWithStorageInMemory();
});
afterEach(() => {
  authStorage.hangs = false;
  authStorage.fails = false;
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const CONFIG = { apiBaseUrl: '', firebase: { projectId: 'demo', apiKey: 'key' } };
const ADA = { uid: 'ada', email: 'ada@example.test', displayName: null, isAnonymous: false };

/** A worker in whose browser `ada` is signed in. */
function worker({
  user = { uid: 'ada' } as { uid: string; isAnonymous?: boolean } | null,
  memory = fakeStorage({}, 'session'),
  lastUid = null as string | null,
} = {}) {
  const { app, storedUser } = appWith(user);
  const news = createSessionNews(memory.area, async () => lastUid);
  return { session: createAuthSession(app, CONFIG, news), memory, storedUser };
}

it('shows who is signed in without asking the auth service, as the SDK would at every start', async () => {
  const asked = authServiceThat(() => refusal('INTERNAL', 503));
  const { session, storedUser } = worker();
  expect(await session.session()).toEqual({ user: ADA, expired: false });
  expect(asked).toEqual([]);
  expect(storedUser()).toMatchObject({ uid: 'ada' });
});

it.each(['USER_NOT_FOUND', 'USER_DISABLED', 'TOKEN_EXPIRED', 'INVALID_REFRESH_TOKEN'])(
  'ends the session at %s, and tells every page at once, whoever asked for the token',
  async (reason) => {
    for (const ask of ['the worker', 'the SDK itself'] as const) {
      authServiceThat(() => refusal(reason));
      const { session, memory, storedUser } = worker();
      await session.session();
      if (ask === 'the SDK itself') {
        // As Firestore's own renewal does, which tells nobody.
        await session.auth.currentUser?.getIdToken().catch(() => {});
        if (reason === 'INVALID_REFRESH_TOKEN') await session.token('ada');
      } else {
        expect(await session.token('ada')).toEqual({ kind: 'signed_out' });
      }
      await vi.waitFor(() => expect(memory.peek('billingSession')).toEqual({ user: ADA, expired: true }));
      expect(await session.session()).toEqual({ user: ADA, expired: true });
      expect(await session.token('ada')).toEqual({ kind: 'signed_out' });
      expect(storedUser()).toMatchObject({ uid: 'ada' });
    }
  },
);

it('remembers over the death of the worker that the session has ended', async () => {
  authServiceThat(() => refusal('USER_DISABLED'));
  const first = worker();
  await first.session.token('ada');
  await vi.waitFor(() => expect(first.memory.peek('billingSession')).toMatchObject({ expired: true }));
  const second = worker({ memory: first.memory });
  expect(await second.session.session()).toEqual({ user: ADA, expired: true });
  const other = worker({ memory: first.memory, user: { uid: 'grace' } });
  expect(await other.session.session()).toMatchObject({ user: { uid: 'grace' }, expired: false });
});

it('is good again once a token is given', async () => {
  let disabled = true;
  authServiceThat(() => (disabled ? refusal('INVALID_REFRESH_TOKEN') : renewal('ada')));
  const { session, memory } = worker();
  await session.token('ada');
  disabled = false;
  expect(await session.token('ada')).toMatchObject({ kind: 'token' });
  expect(await session.session()).toEqual({ user: ADA, expired: false });
  await vi.waitFor(() => expect(memory.peek('billingSession')).toMatchObject({ expired: false }));
});

it.each([
  ['a 503', () => refusal('INTERNAL', 503), 'unavailable'],
  ['a 429', () => refusal('TOO_MANY_ATTEMPTS_TRY_LATER', 429), 'unavailable'],
  ['no network', () => Promise.reject(new TypeError('Failed to fetch')), 'unreachable'],
])('keeps the user signed in through %s of the auth service', async (_what, answer, kind) => {
  authServiceThat(answer);
  const { session, storedUser } = worker();
  expect(await session.token('ada')).toEqual({ kind });
  expect(await session.session()).toEqual({ user: ADA, expired: false });
  expect(storedUser()).toMatchObject({ uid: 'ada' });
});

it('gives no token of one user for another, also not for one who left while it was fetched', async () => {
  const fetching = Promise.withResolvers<Response>();
  const asked = authServiceThat(() => fetching.promise);
  const { session } = worker();
  expect(await session.token('grace')).toEqual({ kind: 'account_changed' });
  expect(asked).toEqual([]);
  const token = session.token('ada');
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  await session.signOut();
  fetching.resolve(renewal('ada'));
  expect(await token).toEqual({ kind: 'signed_out' });
});

it('gives no token to a user in whose place another one has come while it was fetched', async () => {
  const fetching = Promise.withResolvers<Response>();
  const tokens = { idToken: aToken('grace'), refreshToken: 'r', expiresIn: '3600' };
  const asked = authServiceThat((path) => {
    if (path.endsWith('/token')) return fetching.promise;
    return Response.json({ localId: 'grace', ...tokens, users: [{ localId: 'grace' }] });
  });
  const { session } = worker();
  const token = session.token('ada');
  await vi.waitFor(() => expect(asked).toContain('/v1/token'));
  await signInWithEmailAndPassword(session.auth, 'grace@example.test', 'secret');
  fetching.resolve(renewal('ada'));
  expect(await token).toEqual({ kind: 'account_changed' });
});

it('ends the session where the service refuses a token that was just renewed, until it takes one', async () => {
  authServiceThat(() => renewal('ada'));
  const { session } = worker();
  session.judged('ada', true);
  await session.token('ada');
  session.judged('ada', false);
  expect(await session.session()).toMatchObject({ expired: true });
  await session.token('ada');
  expect(await session.session()).toMatchObject({ expired: true });
  session.judged('ada', true);
  expect(await session.session()).toMatchObject({ expired: false });
});

it('forgets the user at a sign-out, and at nothing else', async () => {
  authServiceThat(() => refusal('USER_NOT_FOUND'));
  const { session, memory, storedUser } = worker();
  await session.token('ada');
  expect(storedUser()).toMatchObject({ uid: 'ada' });
  await session.signOut();
  expect(storedUser()).toBeNull();
  expect(await session.session()).toEqual({ user: null, expired: false });
  await vi.waitFor(() => expect(memory.peek('billingSession')).toEqual({ user: null, expired: false }));
});

it('answers within seconds while the browser’s database hangs: who was signed in last, and that nothing can be spent', async () => {
  vi.useFakeTimers();
  authStorage.hangs = true;
  const { session } = worker({ lastUid: 'ada' });
  const reply = session.session();
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await reply).toEqual({
    user: { uid: 'ada', email: null, displayName: null, isAnonymous: false },
    expired: false,
    unreadable: true,
  });
  // The wait is over: whatever is asked next is answered at once.
  expect(await session.token('ada')).toEqual({ kind: 'unavailable' });
  expect(await session.ready()).toBe(false);
});

it('says the same where the database cannot be opened: nobody is taken for signed out, and nothing rejects', async () => {
  authStorage.fails = true;
  const { session } = worker({ lastUid: 'ada' });
  expect(await session.session()).toMatchObject({ user: { uid: 'ada' }, unreadable: true });
  expect(await session.token('ada')).toEqual({ kind: 'unavailable' });
  expect(await session.ready()).toBe(false);
});

it('tells its pages of a guest who became an account', async () => {
  let isLinked = false;
  authServiceThat((path) => {
    if (path.endsWith('/token')) return renewal('ada');
    const tokens = { idToken: aToken('ada'), refreshToken: 'new', expiresIn: '3600' };
    const named = isLinked
      ? { email: 'ada@example.test', providerUserInfo: [{ providerId: 'password' }] }
      : {};
    isLinked = true;
    return Response.json({ localId: 'ada', ...tokens, users: [{ localId: 'ada', ...named }] });
  });
  const { session, memory } = worker({ user: { uid: 'ada', isAnonymous: true } });
  await session.session();
  const guest = session.auth.currentUser;
  if (guest === null) throw new Error('nobody is signed in');
  await linkWithCredential(guest, EmailAuthProvider.credential('ada@example.test', 'long enough'));
  session.renewed();
  await vi.waitFor(() => expect(memory.peek('billingSession')).toEqual({ user: ADA, expired: false }));
});

it('tells its listener the restored user, and then every change', async () => {
  authServiceThat(() => refusal('USER_NOT_FOUND'));
  const { session } = worker();
  const heard: (string | null)[] = [];
  session.onUser((uid) => heard.push(uid));
  await vi.waitFor(() => expect(heard).toEqual(['ada']));
  await session.token('ada');
  await vi.waitFor(() => expect(heard).toEqual(['ada', null]));
});

import { afterEach, expect, it, vi } from 'vitest';
import { aToken } from '../../test/auth-in-memory.ts';
import { fakeStorage } from '../../test/fake-storage-area.ts';
import type { HostIdentity } from './host-identity.ts';
import { createHostSession } from './host-session.ts';
import { createSessionNews } from './session-memory.ts';

afterEach(() => void vi.useRealTimers());

const ADA = { uid: 'ada', email: 'ada@host.test', displayName: null, isAnonymous: false };
const TOLD = { uid: 'ada', email: 'ada@host.test' };
const tokenOf = (uid: string, claims: object = {}): string => aToken(uid, { aud: 'demo', ...claims });

interface Options {
  readonly idToken?: HostIdentity['idToken'];
  readonly memory?: ReturnType<typeof fakeStorage>;
  readonly onUser?: HostIdentity['onUser'];
}
/** A worker or tab whose host has accounts. */
function aHost({ memory = fakeStorage({}, 'session'), ...options }: Options = {}) {
  let say: (user: never) => void = () => {};
  const idToken = vi.fn(options.idToken ?? (async (uid: string) => tokenOf(uid)));
  const changes: (string | null)[] = [];
  const followed: (string | null)[] = [];
  const warnings: string[] = [];
  const session = createHostSession({
    projectId: 'demo',
    identity: {
      onUser:
        options.onUser ??
        ((tell) => {
          say = tell;
        }),
      idToken,
    },
    news: createSessionNews(memory.area, async () => null),
    onTold: (uid) => changes.push(uid),
    warn: (text) => warnings.push(text),
  });
  session.onUser((uid) => followed.push(uid));
  session.start();
  const news = () => memory.peek('billingSession');
  return {
    ...{ session, memory, idToken, changes, followed, warnings, news },
    say: (user: unknown) => say(user as never),
  };
}

it('serves the user whom the host names, with the tokens that it returns', async () => {
  const { session, say, changes, followed, news, idToken } = aHost();
  say(TOLD);
  expect([changes, followed, session.uid()]).toEqual([['ada'], ['ada'], 'ada']);
  expect(await session.session()).toEqual({ user: ADA, expired: false, host: 'ready' });
  expect(await session.token('ada')).toEqual({ kind: 'token', token: tokenOf('ada') });
  expect(news()).toEqual({ user: ADA, expired: false, host: 'ready' });
  await session.token('ada');
  expect(idToken).toHaveBeenCalledExactlyOnceWith('ada', false);
  await session.token('ada', true);
  expect(idToken).toHaveBeenLastCalledWith('ada', true);
});

it('asks the host once for requests of the same time', async () => {
  const { session, say, idToken } = aHost();
  say(TOLD);
  await Promise.all([session.token('ada'), session.token('ada'), session.token('ada')]);
  expect(idToken).toHaveBeenCalledOnce();
});

it('asks again when a token is about to expire, and every five minutes', async () => {
  vi.useFakeTimers();
  const exp = Date.now() / 1000 + 60;
  const { session, say, idToken } = aHost({ idToken: async (uid) => tokenOf(uid, { exp }) });
  say(TOLD);
  await session.token('ada');
  vi.setSystemTime(Date.now() + 31_000);
  await session.token('ada');
  expect(idToken).toHaveBeenCalledTimes(2);
});

it('gives no token of one user for another, from the moment at which the host names another', async () => {
  const slow = Promise.withResolvers<string>();
  const asked: string[] = [];
  const { session, say, changes, news } = aHost({
    async idToken(uid) {
      asked.push(uid);
      return uid === 'ada' ? slow.promise : tokenOf(uid);
    },
  });
  say(TOLD);
  const adas = session.token('ada');
  await vi.waitFor(() => expect(asked).toEqual(['ada']));
  say({ uid: 'grace' });
  const graces = session.token('grace');
  slow.resolve(tokenOf('ada'));
  expect(await adas).toEqual({ kind: 'account_changed' });
  expect(await graces).toEqual({ kind: 'token', token: tokenOf('grace') });
  expect(await session.token('ada')).toEqual({ kind: 'account_changed' });
  expect(asked).toEqual(['ada', 'grace']);
  expect(changes).toEqual(['ada', 'grace']);
  await vi.waitFor(() => expect(news()).toMatchObject({ user: { uid: 'grace' } }));
});

it('signs out at once, and gives no token to who left while it was fetched', async () => {
  const slow = Promise.withResolvers<string>();
  const { session, say, changes, news } = aHost({ idToken: () => slow.promise });
  say(TOLD);
  const token = session.token('ada');
  say(null);
  slow.resolve(tokenOf('ada'));
  expect(await token).toEqual({ kind: 'signed_out' });
  expect(changes).toEqual(['ada', null]);
  expect(await session.session()).toEqual({ user: null, expired: false, host: 'ready' });
  await vi.waitFor(() => expect(news()).toEqual({ user: null, expired: false, host: 'ready' }));
});

it('shows that the session has ended until the host returns a token again, over the death of the worker too', async () => {
  let ended = true;
  const idToken = async (uid: string): Promise<string | null> => (ended ? null : tokenOf(uid));
  const first = aHost({ idToken });
  first.say(TOLD);
  expect(await first.session.token('ada')).toEqual({ kind: 'signed_out' });
  await first.session.token('ada');
  expect(first.idToken).toHaveBeenCalledOnce();
  await vi.waitFor(() => expect(first.news()).toEqual({ user: ADA, expired: true, host: 'ready' }));

  const second = aHost({ idToken, memory: first.memory });
  second.say(TOLD);
  expect(await second.session.session()).toMatchObject({ user: ADA, expired: true });
  const other = aHost({ idToken, memory: first.memory });
  other.say({ uid: 'grace' });
  expect(await other.session.session()).toMatchObject({ expired: false });

  ended = false;
  second.say(TOLD);
  expect(await second.session.token('ada')).toMatchObject({ kind: 'token' });
  expect(await second.session.session()).toMatchObject({ user: ADA, expired: false });
});

it('shows that the service refuses the tokens, until it takes one', async () => {
  const { session, say } = aHost();
  say(TOLD);
  session.judged('ada', false);
  await session.token('ada', true);
  expect(await session.session()).toMatchObject({ expired: true });
  session.judged('ada', true);
  expect(await session.session()).toMatchObject({ expired: false });
});

it.each([
  ['no user at all', 'ada'],
  ['a user without a uid', { email: 'ada@host.test' }],
])('serves nobody while the host tells %s, least of all the user before', async (_what, nonsense) => {
  const { session, say, changes, warnings } = aHost();
  say(TOLD);
  say(nonsense);
  expect(changes).toEqual(['ada', null]);
  expect(await session.token('ada')).toEqual({ kind: 'signed_out' });
  expect(await session.session()).toEqual({ user: null, expired: false, host: 'failed' });
  expect(warnings).toHaveLength(1);
});

it.each<[string, HostIdentity['onUser']]>([
  [
    'throws',
    () => {
      throw new Error('secret');
    },
  ],
  ['rejects', async () => Promise.reject(new Error('secret'))],
  ['never tells', () => {}],
])(
  'says so if the host’s onUser %s: the last user shows, and nothing can be spent',
  async (_what, onUser) => {
    vi.useFakeTimers();
    const memory = fakeStorage({ billingSession: { user: ADA, expired: false } }, 'session');
    const { session, news, warnings } = aHost({ onUser, memory });
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
  const { session, say } = aHost();
  const reply = session.session();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await reply).toEqual({ user: null, expired: false, host: 'failed' });
  say(TOLD);
  expect(await session.session()).toEqual({ user: ADA, expired: false, host: 'ready' });
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
  ['returns no token', async () => 'secret', /no ID token/],
  ['returns another user’s', async () => tokenOf('grace'), /another user/],
  ['returns one of another project', async () => aToken('ada', { aud: 'other' }), /project other/],
  ['hangs', () => new Promise(() => {}), /10 s/],
])('says so if idToken %s, and asks again after two seconds', async (_what, broken, warning) => {
  vi.useFakeTimers();
  let idToken: () => Promise<string> = broken;
  const host = aHost({ idToken: () => idToken() });
  const { session, say, news, warnings } = host;
  say(TOLD);
  const token = session.token('ada');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await token).toEqual({ kind: 'unavailable' });
  expect(await session.session()).toEqual({ user: ADA, expired: false, host: 'failed' });
  await vi.waitFor(() => expect(news()).toEqual({ user: ADA, expired: false, host: 'failed' }));
  expect(warnings).toEqual([expect.stringMatching(warning)]);
  expect(warnings.join()).not.toContain('secret');
  idToken = async () => tokenOf('ada');
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await session.token('ada')).toMatchObject({ kind: 'token' });
  expect(news()).toEqual({ user: ADA, expired: false, host: 'ready' });
});

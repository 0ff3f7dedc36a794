import { afterEach, describe, expect, it, vi } from 'vitest';
import { appWith, aToken, authServiceThat, authStorage, refusal } from '../../test/auth-in-memory.ts';
import { aRecord, aRecordWithoutCredits, aSnapshot, someCredits } from '../../test/factories.ts';
import { fakeStorage } from '../../test/fake-storage-area.ts';
import { createAuthSession } from './auth-session.ts';
import { createPendingLinks } from './mail-link.ts';
import { createSessionNews } from './session-memory.ts';
import { createSignIn, type Purchases, purchasesIn, purchasesInSnapshot } from './sign-in.ts';

vi.mock('firebase/auth/web-extension', async () => {
  const { sdkWithStorageInMemory } = await import('../../test/auth-in-memory.ts');
  return sdkWithStorageInMemory();
});
afterEach(() => {
  authStorage.hangs = false;
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const GUEST = { uid: 'a-guest', isAnonymous: true };
const ADA = { uid: 'ada' };

type Body = Readonly<Record<string, unknown>>;
/** Google's accounts: one address is taken; a password, a new account and a guest are all good. */
function accounts(): (path: string, body: Body) => Response {
  const withPassword = new Set(['ada', 'grace']);
  const uidOf = (token: unknown): string => JSON.parse(atob(String(token).split('.')[1] ?? '')).sub;
  const lookedUp = (uid: string): object =>
    withPassword.has(uid)
      ? { email: `${uid}@example.test`, passwordHash: 'x', providerUserInfo: [{ providerId: 'password' }] }
      : {};

  return (path, body) => {
    if (path.endsWith('/token')) return refusal('USER_NOT_FOUND');
    if (path.endsWith(':lookup')) {
      const uid = uidOf(body.idToken);
      return Response.json({ users: [{ localId: uid, ...lookedUp(uid) }] });
    }
    if (body.email === 'taken@example.test') return refusal('EMAIL_EXISTS');
    const uid = signedIn(body);
    return Response.json({ localId: uid, idToken: aToken(uid), refreshToken: 'fresh', expiresIn: '3600' });
  };
  function signedIn(body: Body): string {
    if (body.idToken === undefined) return body.email === undefined ? 'a-new-guest' : 'grace';
    const uid = uidOf(body.idToken);
    withPassword.add(uid);
    return uid;
  }
}

function worker(
  user: { uid: string; isAnonymous?: boolean } | null,
  bought: Purchases = 'none',
  {
    answer = accounts() as Parameters<typeof authServiceThat>[0],
    expirationTime = Date.now() + 3_600_000,
    now = Date.now,
  } = {},
) {
  const asked = authServiceThat(answer);
  const { app, storedUser } = appWith(user, { expirationTime });
  const config = { apiBaseUrl: '', firebase: { projectId: 'demo', apiKey: 'key' } };
  const session = createAuthSession(
    app,
    config,
    createSessionNews(fakeStorage().area, async () => null),
  );
  const happened: string[] = [];
  const links = fakeStorage({}, 'session');
  const signIn = createSignIn({
    session,
    google: null,
    linkUrl: 'https://shop.example/billing/sign-in.html?extension=id',
    links: createPendingLinks(links.area, now),
    purchases: async () => bought,
    onSignedIn: async (uid) => void happened.push(`in ${uid}`),
    onSignedOut: async () => void happened.push('out'),
  });
  const pending = () => links.peek('billingSignInLink');
  return { session, signIn, asked, happened, storedUser, pending };
}

it('signs in, and makes room for the user’s snapshot before it answers', async () => {
  const { signIn, happened, storedUser } = worker(null);
  expect(await signIn.withPassword('grace@example.test', 'secret', false)).toMatchObject({
    ok: true,
    user: { uid: 'grace', isAnonymous: false },
  });
  expect(happened).toEqual(['in grace']);
  expect(storedUser()).toMatchObject({ uid: 'grace' });
});

it('makes a guest’s account of a sign-up, under the same uid, with all they bought', async () => {
  const { signIn, happened } = worker(GUEST, 'some');
  expect(await signIn.withNewAccount('new@example.test', 'secret')).toMatchObject({
    ok: true,
    user: { uid: 'a-guest' },
  });
  expect(happened).toEqual(['in a-guest']);
});

it('stays signed out if a guest signs out while an account is being made of them', async () => {
  const linking = Promise.withResolvers<void>();
  const answer = accounts();
  const { signIn, session, asked, happened, storedUser } = worker(GUEST, 'none', {
    async answer(path, body) {
      if (body.email !== undefined) await linking.promise;
      return answer(path, body);
    },
  });
  const made = signIn.withNewAccount('new@example.test', 'secret');
  await vi.waitFor(() => expect(asked.join()).toMatch(/:(update|signUp)/));
  expect(await signIn.out()).toEqual({ ok: true, user: null });
  linking.resolve();
  expect(await made).toMatchObject({ ok: false });
  expect([happened, storedUser()]).toEqual([['out'], null]);
  expect(await session.session()).toEqual({ user: null, expired: false });
});

it('refuses a sign-up under an address that has an account, and keeps the guest', async () => {
  const { signIn, happened, storedUser } = worker(GUEST, 'some');
  expect(await signIn.withNewAccount('taken@example.test', 'secret')).toMatchObject({
    ok: false,
    code: 'email_in_use',
  });
  expect([happened, storedUser()]).toEqual([[], expect.objectContaining({ uid: 'a-guest' })]);
});

it.each([
  ['some', 'guest_has_purchases'],
  ['unknown', 'guest_unchecked'],
] as const)('leaves no guest behind who bought %s things, unless that is said', async (bought, code) => {
  const { signIn, asked, happened, storedUser } = worker(GUEST, bought);
  const refused = { ok: false, code };
  expect(await signIn.withPassword('grace@example.test', 'secret', false)).toMatchObject(refused);
  expect(await signIn.out()).toMatchObject(refused);
  expect([asked, happened, storedUser()]).toEqual([[], [], expect.objectContaining({ uid: 'a-guest' })]);

  expect(await signIn.withPassword('grace@example.test', 'secret', true)).toMatchObject({ ok: true });
  const other = worker(GUEST, bought);
  expect(await other.signIn.out(true)).toEqual({ ok: true, user: null });
  expect([other.happened, other.storedUser()]).toEqual([['out'], null]);
});

it('lets a guest who bought nothing go, and whoever has an account', async () => {
  for (const { signIn, happened, storedUser } of [worker(GUEST, 'none'), worker(ADA, 'some')]) {
    expect(await signIn.out()).toEqual({ ok: true, user: null });
    expect([happened, storedUser()]).toEqual([['out'], null]);
  }
});

it('replaces no guest whom the SDK has lost for a moment, and whom the storage still has', async () => {
  const { session, signIn, storedUser } = worker(GUEST, 'some');
  await session.ready();
  // As when the stored user could not be handed over in time: not refused, only not there.
  await session.auth.updateCurrentUser(null);
  session.renewed();
  const refused = { ok: false, code: 'guest_has_purchases' };
  expect(await signIn.asGuest()).toMatchObject(refused);
  expect(await signIn.withNewAccount('new@example.test', 'secret')).toMatchObject(refused);
  expect(storedUser()).toMatchObject({ uid: 'a-guest' });
});

it('lets a guest whose session has ended start anew', async () => {
  const { session, signIn } = worker(GUEST, 'some', { expirationTime: 1 });
  await session.token('a-guest');
  await vi.waitFor(() => expect(session.auth.currentUser).toBeNull());
  expect(await signIn.asGuest()).toMatchObject({ ok: true, user: { uid: 'a-new-guest' } });
});

it('says why not, in a code and a sentence', async () => {
  const { signIn } = worker(null, 'none', { answer: () => refusal('INVALID_LOGIN_CREDENTIALS') });
  expect(await signIn.withPassword('grace@example.test', 'wrong', false)).toMatchObject({
    ok: false,
    code: 'invalid_credentials',
    message: expect.stringContaining('Check both'),
  });
  expect(await signIn.withGoogle(false)).toMatchObject({ ok: false, code: 'not_configured' });
});

it('says nothing of which addresses have an account', async () => {
  const { signIn } = worker(null, 'none', { answer: () => refusal('EMAIL_NOT_FOUND') });
  expect(await signIn.resetPassword('nobody@example.test')).toEqual({ ok: true, user: null });
});

it('ends what a session was refused for by the next sign-in', async () => {
  const { session, signIn } = worker(ADA, 'none', { expirationTime: 1 });
  await session.token('ada');
  expect(await session.session()).toMatchObject({ expired: true });
  await signIn.withPassword('grace@example.test', 'secret', false);
  expect(await session.session()).toMatchObject({ user: { uid: 'grace' }, expired: false });
});

it('says that the browser’s database does not answer, and touches nothing', async () => {
  vi.useFakeTimers();
  authStorage.hangs = true;
  const { signIn, asked, happened } = worker(GUEST, 'some');
  const refused = signIn.out(true);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await refused).toMatchObject({ ok: false, code: 'storage_unavailable' });
  expect(await signIn.asGuest()).toMatchObject({ ok: false, code: 'storage_unavailable' });
  expect([asked, happened]).toEqual([[], []]);
});

it('counts a plan, credits and the way to invoices as what would be lost', () => {
  const nothing = { paid: false, customerId: null, plan: null, status: null };
  expect(purchasesIn(null)).toBe('none');
  expect(purchasesIn(aRecordWithoutCredits(nothing))).toBe('none');
  expect(purchasesIn(aRecordWithoutCredits({ ...nothing, paid: true }))).toBe('some');
  expect(purchasesIn(aRecordWithoutCredits({ ...nothing, customerId: 'cus_1' }))).toBe('some');
  expect(purchasesIn(aRecord({ ...nothing, creditsRemaining: 0 }))).toBe('some');
});

it('takes the local copy’s word that there is something, and never that there is nothing', () => {
  expect(purchasesInSnapshot(aSnapshot(), 'ada')).toBe('some');
  const expected = { ...someCredits(20), expected: true } as const;
  const free = aSnapshot({ paid: false, hasCustomer: false, credits: expected });
  expect(purchasesInSnapshot(free, 'ada'), 'free credits that nobody spent of').toBe('unknown');
  const empty = aSnapshot({ paid: false, hasCustomer: false, credits: null });
  for (const snapshot of [empty, aSnapshot({ uid: 'grace' }), null]) {
    expect(purchasesInSnapshot(snapshot, 'ada')).toBe('unknown');
  }
});

const LINK = 'https://auth.example/action?apiKey=key&mode=signIn&oobCode=a-code';

describe('a mail link', () => {
  it('signs in the address that it was asked for, once', async () => {
    const { signIn, asked, happened, pending } = worker(null);
    expect(await signIn.sendLink('grace@example.test', false)).toEqual({ ok: true, user: null });
    expect(asked).toEqual(['/v1/accounts:sendOobCode']);
    expect(pending()).toMatchObject({ email: 'grace@example.test', leaveGuest: false });
    expect(await signIn.withLink(LINK)).toMatchObject({ ok: true, user: { uid: 'grace' } });
    expect(happened).toEqual(['in grace']);
    expect(pending()).toBeUndefined();
  });

  it('clicked again, says the truth: signed in, as long as the user is whom it signed in', async () => {
    const { signIn, asked, happened } = worker(null);
    await signIn.sendLink('grace@example.test', false);
    const twice = await Promise.all([signIn.withLink(LINK), signIn.withLink(LINK)]);
    const requests = asked.length;
    for (const answer of [...twice, await signIn.withLink(LINK)])
      expect(answer).toMatchObject({ ok: true, user: { uid: 'grace' } });
    expect(happened).toEqual(['in grace']);
    expect(asked).toHaveLength(requests);
    expect(await signIn.withLink(`${LINK}2`)).toMatchObject({ ok: false, code: 'link_invalid' });
    await signIn.out();
    expect(await signIn.withLink(LINK)).toMatchObject({ ok: false, code: 'link_invalid' });
    await signIn.asGuest();
    expect(await signIn.withLink(LINK)).toMatchObject({ ok: false, code: 'link_invalid' });
  });

  it('clicked again while another one is on its way, does not spoil that', async () => {
    const { signIn, pending } = worker(null);
    await signIn.sendLink('grace@example.test', false);
    await signIn.withLink(LINK);
    await signIn.sendLink('ada@example.test', false);
    expect(await signIn.withLink(LINK)).toMatchObject({ ok: true, user: { uid: 'grace' } });
    expect(pending()).not.toHaveProperty('refused');
  });

  it('signs in nobody where none was asked for, so that no one is led into another’s account', async () => {
    const { signIn, asked, storedUser } = worker(null);
    expect(await signIn.withLink(LINK)).toMatchObject({ ok: false, code: 'link_invalid' });
    expect([asked, storedUser()]).toEqual([[], null]);
  });

  it('signs in nobody after the six hours that the service gives it', async () => {
    let time = 1_000;
    const { signIn, pending } = worker(null, 'none', { now: () => time });
    await signIn.sendLink('grace@example.test', false);
    time += 6 * 3_600_000 + 1;
    expect(await signIn.withLink(LINK)).toMatchObject({ ok: false, code: 'link_invalid' });
    expect(pending(), 'what pages show').toBeUndefined();
  });

  it('takes nobody’s place who came in another way since, and names nobody to who comes next', async () => {
    const { signIn, storedUser, pending } = worker(null);
    await signIn.sendLink('new@example.test', false);
    await signIn.withPassword('grace@example.test', 'secret', false);
    expect(pending()).toBeUndefined();
    expect(await signIn.withLink(LINK)).toMatchObject({ ok: false, code: 'link_invalid' });
    expect(storedUser()).toMatchObject({ uid: 'grace' });
    await signIn.sendLink('grace@example.test', false);
    await signIn.out();
    expect(pending()).toBeUndefined();
  });

  it('is waited for by who goes on as a guest meanwhile', async () => {
    const { signIn, pending } = worker(null);
    await signIn.sendLink('new@example.test', false);
    await signIn.asGuest();
    expect(pending()).toMatchObject({ email: 'new@example.test' });
  });

  it.each([
    ['that is used up', 'INVALID_OOB_CODE'],
    ['that is too old', 'EXPIRED_OOB_CODE'],
    ['of somebody else’s address', 'INVALID_EMAIL'],
  ])('%s is refused as no good, and pages are told', async (_what, reason) => {
    const answer = (path: string): Response =>
      path.endsWith(':sendOobCode') ? Response.json({}) : refusal(reason);
    const { signIn, pending } = worker(null, 'none', { answer });
    await signIn.sendLink('grace@example.test', false);
    expect(await signIn.withLink(LINK)).toMatchObject({ ok: false, code: 'link_invalid' });
    await vi.waitFor(() => expect(pending()).toMatchObject({ refused: 'link_invalid' }));
  });

  it('that is none is refused without asking anybody', async () => {
    const { signIn, asked } = worker(null);
    await signIn.sendLink('grace@example.test', false);
    asked.length = 0;
    expect(await signIn.withLink('https://shop.example/?mode=nonsense')).toMatchObject({
      ok: false,
      code: 'link_invalid',
    });
    expect(asked).toEqual([]);
  });

  it('makes a guest’s account, under the same uid, with all they bought', async () => {
    const { signIn, happened } = worker(GUEST, 'some');
    await signIn.sendLink('new@example.test', false);
    expect(await signIn.withLink(LINK)).toMatchObject({ ok: true, user: { uid: 'a-guest' } });
    expect(happened).toEqual(['in a-guest']);
  });

  it.each<[Purchases, string]>([
    ['some', 'guest_has_purchases'],
    ['unknown', 'guest_unchecked'],
    ['none', 'email_in_use'],
  ])('to an address that has an account keeps a guest who bought: %s', async (bought, code) => {
    const known = accounts();
    const answer = (path: string, body: Body): Response =>
      path.endsWith(':signInWithEmailLink') && body.idToken !== undefined
        ? refusal('EMAIL_EXISTS')
        : known(path, body);
    const { signIn, storedUser, pending } = worker(GUEST, bought, { answer });
    await signIn.sendLink('grace@example.test', false);
    expect(await signIn.withLink(LINK)).toMatchObject({ ok: false, code });
    expect(storedUser()).toMatchObject({ uid: 'a-guest' });
    expect(pending()).toMatchObject({ refused: code });
    // They say that it may be left behind, and open the next mail's link.
    await signIn.sendLink('grace@example.test', true);
    expect(await signIn.withLink(LINK)).toMatchObject({ ok: true, user: { uid: 'grace' } });
  });
});

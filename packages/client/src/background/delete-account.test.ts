import type { DeleteAccountResponse } from '@extension-billing/contract/api';
import type { ErrorCode } from '@extension-billing/contract/problems';
import { afterEach, expect, it, vi } from 'vitest';
import { appWith, aToken, authServiceThat, refusal } from '../../test/auth-in-memory.ts';
import { fakeStorage } from '../../test/fake-storage-area.ts';
import type { Api, ApiAnswer, ApiRequest } from './api.ts';
import { createAuthSession } from './auth-session.ts';
import { createDeleteAccount } from './delete-account.ts';
import { createSessionNews } from './session-memory.ts';

vi.mock('firebase/auth/web-extension', async () => {
  const { sdkWithStorageInMemory } = await import('../../test/auth-in-memory.ts');
  return sdkWithStorageInMemory();
});
afterEach(() => vi.unstubAllGlobals());

type Answer = ApiAnswer<DeleteAccountResponse>;
const DELETED: Answer = { kind: 'answered', body: { deleted: true, canceledSubscriptions: 0 } };
const problem = (status: number, code: ErrorCode): Answer => ({
  kind: 'problem',
  retryAfterMs: null,
  problem: { type: 'about:blank', title: code, status, code, detail: '' },
});
const WITH_PASSWORD = {
  uid: 'ada',
  providerData: [{ providerId: 'password', uid: 'ada@example.test', email: 'ada@example.test' }],
};

/** `right` is Ada's password. */
async function worker(
  answers: Answer[],
  user: { uid: string; isAnonymous?: boolean; providerData?: readonly object[] } = WITH_PASSWORD,
  meanwhile = async (): Promise<void> => {},
) {
  const proofs = authServiceThat((path, body) => {
    if (path.endsWith(':lookup')) return Response.json({ users: [{ localId: 'ada', ...user }] });
    if (body.password !== 'right') return refusal('INVALID_LOGIN_CREDENTIALS');
    return Response.json({ localId: 'ada', idToken: aToken('ada'), refreshToken: 'r', expiresIn: '3600' });
  });
  const { app } = appWith(user, { expirationTime: Date.now() + 3_600_000 });
  const config = { apiBaseUrl: '', firebase: { projectId: 'demo', apiKey: 'key' } };
  const session = createAuthSession(
    app,
    config,
    createSessionNews(fakeStorage().area, async () => null),
  );
  const requests: ApiRequest[] = [];
  const api: Pick<Api, 'post'> = {
    async post<Body>(request: ApiRequest) {
      requests.push(request);
      await meanwhile();
      return answers[Math.min(requests.length, answers.length) - 1] as ApiAnswer<Body>;
    },
  };
  const forget = vi.fn(async () => ({ ok: true as const, user: null }));
  return {
    remove: createDeleteAccount({ session, api, google: null, forget }),
    session,
    requests,
    forget,
    proofs,
  };
}

it('asks for a proof, then for the deletion of that very user, and forgets them here', async () => {
  const { remove, requests, forget } = await worker([DELETED]);
  expect(await remove({ password: 'right' })).toEqual({ ok: true, user: null });
  expect(requests).toMatchObject([{ uid: 'ada', path: '/account/delete', body: {} }]);
  expect(forget).toHaveBeenCalledOnce();
});

it.each([
  [{}, 'password_required'],
  [{ password: 'wrong' }, 'invalid_credentials'],
])('deletes nothing without a proof (%j)', async (given, code) => {
  const { remove, requests, forget } = await worker([DELETED]);
  expect(await remove(given)).toMatchObject({ ok: false, code });
  expect(requests).toEqual([]);
  expect(forget).not.toHaveBeenCalled();
});

it('asks a guest for nothing, who has nothing to prove it with, and an account from elsewhere for what is not set up', async () => {
  const guest = await worker([DELETED], { uid: 'a-guest', isAnonymous: true });
  expect(await guest.remove({})).toEqual({ ok: true, user: null });
  expect(guest.proofs).toEqual([]);
  const google = await worker([DELETED], { uid: 'grace', providerData: [{ providerId: 'google.com' }] });
  expect(await google.remove({})).toMatchObject({ ok: false, code: 'not_configured' });
  expect(google.requests).toEqual([]);
});

it.each<[string, Answer, string]>([
  ['the session is refused', { kind: 'signed_out' }, 'session_expired'],
  ['another user is signed in', { kind: 'account_changed' }, 'wrong_account'],
  ['no answer comes', { kind: 'timeout' }, 'deletion_unconfirmed'],
  ['nothing is reached', { kind: 'unreachable' }, 'deletion_unconfirmed'],
  ['the plan cannot be ended', problem(502, 'provider_unavailable'), 'not_deleted'],
  ['the sign-in is too old', problem(403, 'recent_sign_in_required'), 'session_expired'],
  ['somebody else answers', { kind: 'answered', body: {} as DeleteAccountResponse }, 'deletion_unconfirmed'],
])('reports no deletion, and keeps the user, where %s', async (_what, answer, code) => {
  for (const user of [WITH_PASSWORD, { uid: 'ada', isAnonymous: true }]) {
    const { remove, forget, session } = await worker([answer], user);
    expect(await remove({ password: 'right' })).toMatchObject({ ok: false, code });
    expect(forget).not.toHaveBeenCalled();
    expect(await session.session()).toMatchObject({ user: { uid: 'ada' } });
  }
});

it('asks again where the answer was lost: a deletion that happened is then told', async () => {
  const { remove, requests, forget } = await worker([{ kind: 'unreachable' }, { kind: 'timeout' }, DELETED]);
  expect(await remove({ password: 'right' })).toEqual({ ok: true, user: null });
  expect(requests).toHaveLength(3);
  expect(forget).toHaveBeenCalledOnce();
});

it('signs nobody out who signed in while the deletion was under way', async () => {
  const guest = { uid: 'a-guest', isAnonymous: true };
  const { remove, session, forget } = await worker([DELETED], guest, async () => {
    const { currentUser } = session.auth;
    Object.assign(session.auth, { currentUser: Object.assign(Object.create(currentUser), { uid: 'grace' }) });
  });
  expect(await remove({})).toEqual({ ok: true, user: null });
  expect(forget).not.toHaveBeenCalled();
});

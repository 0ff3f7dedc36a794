import { expect, it } from 'vitest';
import { keptLog, serveApp, untouched } from '../../test/app/serve-app.ts';
import type { AppDeps } from '../deps.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const SIGNED_IN_AT = NOW / 1000 - 60;

/** The answer to a token that is valid by itself, while the accounts service says something of its user. */
async function ask(path: string, getUser: () => object, sign_in_provider = 'password') {
  const firebase = { sign_in_provider };
  const verifyIdToken = async () => ({ uid: 'ada', exp: NOW, auth_time: SIGNED_IN_AT, firebase });
  const user = async () => ({ providerData: [{ providerId: 'password' }], ...getUser() });
  const auth = { verifyIdToken, getUser: user } as unknown as AppDeps['auth'];
  const log = keptLog();
  const base = await serveApp({ auth, log, now: () => NOW, firestore: untouched('firestore') });
  const response = await fetch(base + path, {
    method: 'POST',
    headers: { authorization: 'Bearer some.id.token', 'content-type': 'application/json' },
    body: '{}',
  });
  const { code } = (await response.json()) as { readonly code: string };
  return { status: response.status, code, lines: log.lines };
}
const at = (seconds: number) => new Date(seconds * 1000).toUTCString();
const missing = () => {
  throw Object.assign(new Error('no such user'), { code: 'auth/user-not-found' });
};
/** It went on to the database, which these tests do not have. */
const LET_THROUGH = { status: 500, code: 'internal' };

const ENDED: [string, () => object][] = [
  ['signed out everywhere since', () => ({ tokensValidAfterTime: at(SIGNED_IN_AT + 1) })],
  ['is disabled', () => ({ disabled: true })],
];

it.each([...ENDED, ['is no more', missing]] as [string, () => object][])(
  'no portal opens with the token of a user who %s',
  async (_who, getUser) => {
    const { status, code } = await ask('/billing/portal', getUser);
    expect([status, code]).toEqual([401, 'unauthenticated']);
  },
);

it.each(ENDED)('no account is deleted with the token of a user who %s', async (_who, getUser) => {
  const { status, code } = await ask('/account/delete', getUser);
  expect([status, code]).toEqual([401, 'unauthenticated']);
});

it.each(['/billing/portal', '/account/delete'])('%s goes on for a session that stands', async (path) => {
  expect(await ask(path, () => ({ tokensValidAfterTime: at(SIGNED_IN_AT) }))).toMatchObject(LET_THROUGH);
  expect(await ask(path, () => ({}))).toMatchObject(LET_THROUGH);
});

it('a deletion that is repeated goes on, though the user is no more', async () => {
  expect(await ask('/account/delete', missing)).toMatchObject(LET_THROUGH);
});

it('an account that a guest has added a sign-in to is not deleted by the session from before', async () => {
  const { status, code } = await ask('/account/delete', () => ({}), 'anonymous');
  expect([status, code]).toEqual([403, 'recent_sign_in_required']);
});

it('a guest is deleted without any sign-in', async () => {
  expect(await ask('/account/delete', () => ({ providerData: [] }), 'anonymous')).toMatchObject(LET_THROUGH);
});

it('where it cannot be told, the answer is to try again', async () => {
  const { status, lines } = await ask('/billing/portal', () => {
    throw Object.assign(new Error('ada is unreachable'), { code: 'app/network-error' });
  });
  expect(status).toBe(503);
  expect(JSON.stringify(lines)).not.toContain('ada');
});

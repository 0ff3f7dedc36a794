import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuthResult } from '../packages/client/src/messages.ts';
import { type ExtensionBrowser, launchExtension, sendMessage, waitForSnapshot } from './browser.ts';
import { buildExtension } from './build-extension.ts';

const CLIENT_ID = 'client-1.apps.googleusercontent.com';
type Answer = (asked: URLSearchParams) => Record<string, string>;

/**
 * A stand-in on this machine for Google's consent page; the sign-in window, the redirect back into the extension and
 * the auth service's check of the credential are the real ones.
 */
describe('signing in with Google, and by a mail link', () => {
  let dist: string;
  let browser: ExtensionBrowser;
  let page: Page;
  let google: Server;
  let answer: Answer = () => ({});

  beforeAll(async () => {
    const { FIREBASE_AUTH_EMULATOR_HOST, FIRESTORE_EMULATOR_HOST = '', RETURN_BASE_URL = '' } = process.env;
    if (FIREBASE_AUTH_EMULATOR_HOST === undefined) {
      throw new Error('The suite is not up. Run this with "npx vitest run --project e2e".');
    }
    google = createServer((request, response) => {
      const asked = new URL(request.url ?? '', 'http://google').searchParams;
      const back = `${asked.get('redirect_uri')}#${new URLSearchParams(answer(asked))}`;
      response.writeHead(302, { location: back }).end();
    });
    await new Promise<void>((resolve) => google.listen(0, '127.0.0.1', resolve));
    dist = await mkdtemp(join(tmpdir(), 'billing-google-'));
    await buildExtension(dist, {
      VITE_AUTH_EMULATOR_URL: `http://${FIREBASE_AUTH_EMULATOR_HOST}`,
      VITE_FIRESTORE_EMULATOR: FIRESTORE_EMULATOR_HOST,
      VITE_GOOGLE_CLIENT_ID: CLIENT_ID,
      VITE_RETURN_ORIGIN: RETURN_BASE_URL,
      VITE_SIGN_IN_LINK_URL: `${RETURN_BASE_URL}/billing/sign-in.html`,
      VITE_GOOGLE_AUTHORIZE_URL: `http://127.0.0.1:${(google.address() as AddressInfo).port}/authorize`,
    });
    browser = await launchExtension({ dist });
    page = await browser.open('options');
  });
  afterAll(async () => {
    await browser?.close();
    google?.close();
    await rm(dist, { recursive: true, force: true });
  });

  function googleAnswers(next: Answer): void {
    answer = next;
  }
  const signIn = (): Promise<AuthResult> => sendMessage(page, { type: 'authSignInWithGoogle' });

  it('signs in with the ID token that Google gives for this request', async () => {
    const email = `${randomUUID()}@example.test`;
    googleAnswers((asked) => {
      expect(asked.get('client_id')).toBe(CLIENT_ID);
      return { id_token: idToken({ sub: randomUUID(), email, nonce: asked.get('nonce') }) };
    });
    const signedIn = await signIn();
    expect(signedIn).toMatchObject({ ok: true, user: { email } });
    await waitForSnapshot(page, ({ uid }) => signedIn.ok && uid === signedIn.user?.uid);
    await sendMessage(page, { type: 'authSignOut' });
  });

  it('makes the account of a guest, who keeps their uid', async () => {
    const email = `${randomUUID()}@example.test`;
    const sub = randomUUID();
    googleAnswers((asked) => ({ id_token: idToken({ sub, email, nonce: asked.get('nonce') }) }));
    const guest = await sendMessage<AuthResult>(page, { type: 'authSignInAsGuest' });
    await waitForSnapshot(page, ({ uid }) => guest.ok && uid === guest.user?.uid);
    const linked = await signIn();
    expect(linked).toMatchObject({ ok: true, user: { isAnonymous: false } });
    expect(linked.ok && linked.user?.uid).toBe(guest.ok && guest.user?.uid);
    await sendMessage(page, { type: 'authSignOut' });

    // The same Google account again: it has an account now, and this guest, who bought nothing, makes way for it.
    const other = await sendMessage<AuthResult>(page, { type: 'authSignInAsGuest' });
    await waitForSnapshot(page, ({ uid }) => other.ok && uid === other.user?.uid);
    expect(await signIn()).toMatchObject({ ok: true, user: { uid: guest.ok && guest.user?.uid } });
    await sendMessage(page, { type: 'authSignOut' });
  });

  it('refuses an ID token that was made for another request', async () => {
    googleAnswers(() => ({
      id_token: idToken({ sub: randomUUID(), email: 'a@b.test', nonce: 'stolen' }),
    }));
    expect(await signIn()).toMatchObject({ ok: false, code: 'unavailable' });
  });

  it('says so when the user changes their mind', async () => {
    googleAnswers(() => ({ error: 'access_denied' }));
    expect(await signIn()).toMatchObject({ ok: false, code: 'cancelled' });
  });

  it('signs in by a link that was mailed, which ends in the extension and says so on its page', async () => {
    const email = `${randomUUID()}@example.test`;
    await page.getByTestId('sign-in-email').fill(email);
    await page.getByTestId('sign-in-link').click();
    await page.getByTestId('link-sent').getByText(email).waitFor();
    const mail = await browser.context.newPage();
    // Where a developer finds it.
    await mail.goto(`${process.env.RETURN_BASE_URL}/mail/`);
    const link = mail.getByRole('listitem').filter({ hasText: email }).getByRole('link', { name: 'Sign in' });
    const [landing] = await Promise.all([mail.waitForRequest(/sign-in\.html\?.*oobCode/), link.click()]);
    const signedIn = mail.getByRole('heading', { name: 'You are signed in' });
    await signedIn.waitFor();
    expect(mail.url()).not.toContain('oobCode');
    // Clicked twice.
    await mail.goto('about:blank');
    await mail.goto(landing.url());
    await signedIn.waitFor();
    await mail.close();
    await page.locator('.billing-account', { hasText: email }).waitFor();
    await sendMessage(page, { type: 'authSignOut' });
  });

  it('takes the link by hand where it was opened elsewhere, once, and no other’s', async () => {
    const [email, another] = [`${randomUUID()}@example.test`, `${randomUUID()}@example.test`];
    const ask = (address: string) => sendMessage(page, { type: 'authSendLink', email: address });
    const use = (link: string) => sendMessage<AuthResult>(page, { type: 'authUseLink', link });
    await ask(another);
    const others = await mailedLink(another);
    await ask(email);
    const link = await mailedLink(email);
    expect(await use(others)).toMatchObject({ ok: false, code: 'link_invalid' });
    await page.getByTestId('link-paste').fill(link);
    await page.getByTestId('link-use').click();
    await page.locator('.billing-account', { hasText: email }).waitFor();
    expect(await use(link)).toMatchObject({ ok: true, user: { email } });
    await sendMessage(page, { type: 'authSignOut' });
    expect(await use(link)).toMatchObject({ ok: false, code: 'link_invalid' });
  });

  it('says so when the page cannot be reached', async () => {
    google.closeAllConnections();
    google.close();
    expect(await signIn()).toMatchObject({ ok: false, code: 'network' });
  });
});

/** The newest link that the auth emulator would have mailed. */
async function mailedLink(email: string): Promise<string> {
  const { FIREBASE_AUTH_EMULATOR_HOST, GCLOUD_PROJECT } = process.env;
  const mails = await fetch(
    `http://${FIREBASE_AUTH_EMULATOR_HOST}/emulator/v1/projects/${GCLOUD_PROJECT}/oobCodes`,
  );
  const { oobCodes } = (await mails.json()) as { oobCodes: { email: string; oobLink: string }[] };
  const mailed = oobCodes.findLast((code) => code.email === email);
  if (mailed === undefined) throw new Error('No link was mailed.');
  return mailed.oobLink;
}

/** An unsigned ID token, which the auth emulator takes for Google's. */
function idToken(claims: object): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const times = { iat: Math.floor(Date.now() / 1000), exp: Math.floor(Date.now() / 1000) + 3600 };
  const issued = { iss: 'https://accounts.google.com', aud: CLIENT_ID, email_verified: true, ...times };
  return `${part({ alg: 'none', typ: 'JWT' })}.${part({ ...issued, ...claims })}.`;
}

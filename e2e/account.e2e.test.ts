import { randomUUID } from 'node:crypto';
import { costOf } from '@extension-billing/contract/features';
import { controlsOf } from '@extension-billing/simulator/control';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalog } from '../packages/cli/src/local/catalog.ts';
import { sold } from '../packages/cli/src/local/sold.ts';
import { readAddresses } from '../packages/cli/src/local/suite.ts';
import type { AuthResult, ConsumeResult } from '../packages/client/src/messages.ts';
import {
  type ExtensionBrowser,
  launchExtension,
  readSnapshot,
  sendMessage,
  waitForSnapshot,
} from './browser.ts';
import { openedTab, payCheckout } from './hosted-pages.ts';

const suite = readAddresses(process.env);
const testId = (id: string): string => `[data-testid="${id}"]`;

/** The auth emulator's mailbox: the links that it would have mailed. */
async function resetCodeFor(email: string): Promise<string> {
  const host = process.env.FIREBASE_AUTH_EMULATOR_HOST;
  const response = await fetch(`http://${host}/emulator/v1/projects/${process.env.GCLOUD_PROJECT}/oobCodes`);
  const { oobCodes } = (await response.json()) as { oobCodes: { email: string; oobCode: string }[] };
  const code = oobCodes.findLast((sent) => sent.email === email)?.oobCode;
  if (code === undefined) throw new Error(`No link was mailed to ${email}`);
  return code;
}

async function chooseNewPassword(oobCode: string, newPassword: string): Promise<void> {
  const host = process.env.FIREBASE_AUTH_EMULATOR_HOST;
  const url = `http://${host}/identitytoolkit.googleapis.com/v1/accounts:resetPassword?key=emulated`;
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ oobCode, newPassword }),
  });
  if (!response.ok) throw new Error(`The auth emulator refused the new password: ${response.status}`);
}

/** On the built extension against the whole suite. Each step starts where the one before it ended. */
describe('a guest buys, makes an account of it, forgets the password, and deletes the account', () => {
  let browser: ExtensionBrowser;
  let page: Page;
  let uid: string | null;
  const email = `${randomUUID()}@example.test`;
  const [first, second] = [randomUUID(), randomUUID()];
  const ask = (message: object): Promise<AuthResult> => sendMessage(page, message);
  const signIn = (fields: object) => ask({ type: 'authSignIn', email, ...fields });

  beforeAll(async () => {
    const dist = process.env.EXTENSION_DIST;
    if (dist === undefined)
      throw new Error('EXTENSION_DIST is not set. Run this with "npx vitest run --project e2e".');
    await controlsOf(suite.provider).reset();
    browser = await launchExtension({ dist });
    page = await browser.open('options');
  });
  afterAll(() => browser?.close());

  it('starts as a guest and buys a pack', async () => {
    await page.click(testId('sign-in-guest'));
    await waitForSnapshot(page, (snapshot) => snapshot.uid !== null && snapshot.mirroredAt > 0);
    const tab = await openedTab(browser.context, () => page.click(testId(`buy-${sold.smallPack.lookupKey}`)));
    await payCheckout(tab);
    const { credits, ...snapshot } = await waitForSnapshot(page, (now) => now.credits !== null);
    expect(credits?.balance).toBe(sold.smallPack.credits);
    uid = snapshot.uid;
  });

  it('is not let into an account that exists already without saying so: the pack would be lost', async () => {
    const taken = await ask({ type: 'authSignIn', email: 'somebody@example.test', password: first });
    expect(taken).toMatchObject({ ok: false, code: 'guest_has_purchases' });
    expect((await readSnapshot(page))?.uid).toBe(uid);
  });

  it('makes an account of it, and keeps what was bought', async () => {
    await page.fill(testId('sign-in-email'), email);
    await page.fill(testId('sign-in-password'), first);
    await page.click(testId('sign-up-submit'));
    await page.waitForSelector(`${testId('toast')}:has-text("Account created")`);
    const snapshot = await waitForSnapshot(page, (now) => now.credits?.balance === sold.smallPack.credits);
    expect(snapshot.uid).toBe(uid);
    const consumed = await sendMessage<ConsumeResult>(page, {
      type: 'creditsConsume',
      feature: sold.feature,
    });
    expect(consumed).toMatchObject({
      ok: true,
      balance: sold.smallPack.credits - (costOf(catalog, sold.feature) ?? 0),
    });
    await ask({ type: 'authSignOut' });
    expect(await signIn({ password: first })).toMatchObject({ ok: true, user: { uid, isAnonymous: false } });
  });

  it('a second account under the same address is refused', async () => {
    await ask({ type: 'authSignOut' });
    const guest = await ask({ type: 'authSignInAsGuest' });
    await waitForSnapshot(page, (now) => guest.ok && now.uid === guest.user?.uid);
    const refused = await ask({ type: 'authSignUp', email, password: first });
    expect(refused).toMatchObject({ ok: false, code: 'email_in_use' });
    // A guest who bought nothing loses nothing.
    expect(await signIn({ password: first })).toMatchObject({ ok: true, user: { uid } });
    await waitForSnapshot(page, (now) => now.uid === uid);
  });

  it('gets a link for a new password; an address without an account is answered alike', async () => {
    expect(await ask({ type: 'authResetPassword', email })).toMatchObject({ ok: true });
    expect(await ask({ type: 'authResetPassword', email: 'nobody@example.test' })).toMatchObject({
      ok: true,
    });
    await chooseNewPassword(await resetCodeFor(email), second);
    await ask({ type: 'authSignOut' });
    expect(await signIn({ password: first })).toMatchObject({ ok: false, code: 'invalid_credentials' });
    expect(await signIn({ password: second })).toMatchObject({ ok: true, user: { uid } });
    await waitForSnapshot(page, (now) => now.uid === uid);
  });

  it('deletes the account with the password, and nothing of it is left here', async () => {
    expect(await ask({ type: 'accountDelete' })).toMatchObject({ ok: false, code: 'password_required' });
    expect(await ask({ type: 'accountDelete', password: first })).toMatchObject({
      ok: false,
      code: 'invalid_credentials',
    });
    await page.click(testId('delete-account'));
    await page.click(testId('delete-for-good'));
    await page.fill(testId('delete-password'), second);
    await page.click(testId('delete-for-good'));
    await page.waitForSelector(`${testId('toast')}:has-text("Your account is deleted")`);
    expect(await readSnapshot(page)).toMatchObject({ uid: null, credits: null });
    expect(await signIn({ password: second })).toMatchObject({ ok: false, code: 'invalid_credentials' });
  });
});

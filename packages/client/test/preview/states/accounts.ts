import { describe, expect, it } from 'vitest';
import { auditPage } from '../../../../../e2e/audit-page.ts';
import type { ShownPreview } from '../keep-preview-open.ts';

/** Who it is: signing in and up, guests, mail links, and the end of an account. */
export function accounts({ preview, testId, hasFocus }: ShownPreview): void {
  it('asks a newcomer to create an account first, and turns to signing in where there is one', async () => {
    await preview.show({ surface: 'popup', state: 'signed_out', locale: 'de-DE' });
    await preview.page.getByRole('heading', { name: 'Erstelle dein Konto' }).waitFor();
    expect(await testId('sign-up-submit').getAttribute('data-look')).toBe('primary');
    await testId('sign-in-email').fill('ada@example.com');
    await testId('sign-in-password').fill('correct horse');
    await preview.page.keyboard.press('Enter');
    await expect
      .poll(() => preview.page.getByRole('alert').textContent())
      .toMatch(/^Mit dieser E-Mail gibt es schon ein Konto/);
    expect(await testId('sign-in-submit').getAttribute('data-look')).toBe('primary');
    expect(await preview.page.getByText('Was du kaufst, bleibt in diesem Browser').isVisible()).toBe(true);
  });

  it('refuses a sign-in in the language of the user', async () => {
    await preview.show({ surface: 'popup', state: 'signed_out_before', locale: 'de-DE' });
    expect(await testId('sign-in-submit').getAttribute('data-look')).toBe('primary');
    await testId('sign-in-email').fill('ada@example.com');
    await testId('sign-in-password').fill('not-the-one');
    await testId('sign-in-submit').click();
    await expect
      .poll(() => preview.page.getByRole('alert').textContent())
      .toMatch(/^E-Mail oder Passwort stimmt nicht\./);
  });

  it('asks to sign in again once a session has ended, with the address that is known, and above the account', async () => {
    await preview.show({ surface: 'popup', state: 'session_ended' });
    await preview.page.getByRole('heading', { name: 'Sign in again' }).waitFor();
    expect(await testId('sign-in-email').inputValue()).toBe('ada@example.com');
    expect(await testId('sign-up-submit').count(), 'there is an account already').toBe(0);
    expect(await testId('balance-meter').isVisible()).toBe(true);
  });

  describe('the account', () => {
    it('is deleted in two steps, all by keyboard, after it was said what is lost', async () => {
      await preview.show({ surface: 'options', state: 'active_with_packs' });
      await testId('delete-account').focus();
      await preview.page.keyboard.press('Enter');
      const confirm = testId('delete-confirm');
      await expect
        .poll(() => confirm.textContent())
        .toMatch(/Your plan ends now.*1,344 credits are given up/);
      expect(await auditPage(preview.page)).toEqual([]);
      await preview.page.keyboard.press('Tab');
      await preview.page.keyboard.press('Tab');
      await expect.poll(() => hasFocus('delete-for-good')).toBe(true);
      await preview.page.keyboard.press('Enter');
      await expect.poll(() => hasFocus('delete-password')).toBe(true);
      await preview.page.keyboard.type('correct horse');
      await preview.page.keyboard.press('Enter');
      await expect.poll(() => testId('toast').textContent()).toMatch(/^Your account is deleted\./);
      await testId('sign-in-email').waitFor();
    });

    it('of a guest is kept or left behind, and never signed out by the way', async () => {
      await preview.show({ surface: 'options', state: 'guest' });
      await testId('keep-account').waitFor();
      expect(await testId('sign-out').count()).toBe(0);
      await testId('sign-in-email').fill('ada@example.com');
      await testId('sign-in-password').fill('correct horse');
      await testId('sign-in-submit').click();
      await expect.poll(() => preview.page.getByRole('alert').textContent()).toMatch(/bought as a guest/);
      await testId('leave-guest').click();
      await expect.poll(() => preview.page.getByRole('alert').textContent()).toMatch(/^Email or password/);
    });

    it('is reached by a mail link all by keyboard, and nobody loses their place in the page', async () => {
      await preview.show({ surface: 'popup', state: 'signed_out_before' });
      const focused = () => preview.page.evaluate(() => document.activeElement?.getAttribute('data-testid'));
      const card = () => preview.page.locator('section:focus').getByRole('heading').textContent();
      await testId('sign-in-email').fill('ada@example.com');
      await testId('sign-in-link').focus();
      await preview.page.keyboard.press('Enter');
      await testId('link-sent').getByText('A link is on its way to ada@example.com.').waitFor();
      await expect.poll(card).toBe('Check your mail');
      expect(await testId('sign-in-password').count(), 'one way at a time').toBe(0);

      await preview.page.keyboard.press('Tab');
      await preview.page.keyboard.type('https://shop.example/?oobCode=used');
      await preview.page.keyboard.press('Enter');
      await expect
        .poll(() => preview.page.getByRole('alert').textContent())
        .toMatch(/^This link cannot be used/);
      expect(await focused()).toBe('link-paste');
      expect(await auditPage(preview.page)).toEqual([]);
      await testId('link-again').click();
      await testId('link-sent').getByRole('status').waitFor();

      await testId('link-other-way').focus();
      await preview.page.keyboard.press('Enter');
      await expect.poll(card).toBe('Sign in');
      expect(await testId('sign-in-email').inputValue()).toBe('ada@example.com');
    });

    it('gets a link for a new password, with the address alone', async () => {
      await preview.show({ surface: 'popup', state: 'signed_out_before' });
      await testId('sign-in-email').fill('ada@example.com');
      await testId('reset-password').click();
      await expect
        .poll(() => testId('reset-sent').textContent())
        .toBe('If there is an account for ada@example.com, a link for a new password is on its way.');
    });
  });
}

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ErrorCode } from '@extension-billing/contract/problems';
import { PLAN } from '@extension-billing/contract/test/catalog';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { getMessageFrom, type Messages, useEnglish } from '../../../test/fake-i18n.ts';
import { type AuthFailureCode, authFailure } from '../../background/auth-failure.ts';
import { createOpenPage } from '../../background/open-page.ts';
import { english } from './english.ts';
import { german } from './german.ts';
import { refusalText } from './refusals.ts';
import {
  type CountedText,
  onTextsChanged,
  provideTexts,
  type Texts,
  t,
  tCount,
  textLocale,
  textsLoaded,
} from './texts.ts';

/** A browser in this language, with an extension that has these messages of its own. */
async function useBrowser(uiLanguage: string, messages: Messages = {}): Promise<void> {
  const i18n = { getUILanguage: () => uiLanguage, getMessage: vi.fn(getMessageFrom(messages)) };
  vi.stubGlobal('chrome', { i18n });
  provideTexts({});
  await textsLoaded();
}
afterEach(async () => {
  await useBrowser('en');
  vi.unstubAllGlobals();
});

it('ends a sentence with one full stop, also after a day that ends with one', async () => {
  await useBrowser('de');
  expect(t('statusTrialEnded', '20. Nov.')).toBe('Deine Testphase endete am 20. Nov.');
  expect(t('statusEnds', '20. November')).toMatch(/^Bis 20. November hast du Zugang\./);
});

const sentences = (text: string | CountedText): readonly string[] =>
  typeof text === 'string' ? [text] : Object.values(text);
const blanks = (text: string): readonly string[] =>
  [...text.matchAll(/\$\d/g)].map(([blank]) => blank).sort();

describe('the built-in texts', () => {
  const sources = readdirSync(fileURLToPath(new URL('../..', import.meta.url)), {
    recursive: true,
    encoding: 'utf8',
  })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$|^dist/.test(name))
    .map((name) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'));
  const users = (key: string): readonly string[] => sources.filter((source) => source.includes(`'${key}'`));

  it('are all shown somewhere', () => {
    expect(Object.keys(english).filter((key) => users(key).length === 0)).toEqual([]);
  });

  it.each<[string, Texts]>([
    ['English', english],
    ['German', german],
  ])(
    'have in %s a sentence for every key and plural category, with the same blanks to fill in',
    (_, texts) => {
      const categories = new Intl.PluralRules(texts.language).resolvedOptions().pluralCategories;
      for (const key of Object.keys(english) as (keyof Texts)[]) {
        for (const sentence of sentences(texts[key])) {
          expect(sentence.trim(), key).not.toBe('');
          expect(blanks(sentence), key).toEqual(blanks(sentences(english[key])[0] ?? ''));
        }
        const counted = texts[key];
        if (typeof counted !== 'string')
          expect(Object.keys(counted).sort(), key).toEqual(categories.toSorted());
      }
    },
  );
});

describe('an extension with messages of its own', () => {
  it('is not asked for a message: every text is there without it, and its own keys stay its own', async () => {
    await useBrowser('en-GB', { accountTitle: { message: 'Kundenkonto des Gastgebers' } });
    expect(t('accountTitle')).toBe('Account');
    expect(tCount(1, 'featureCost', '1')).toBe('1 credit');
    expect(tCount(2, 'featureCost', '2')).toBe('2 credits');
    expect(chrome.i18n.getMessage).not.toHaveBeenCalled();
  });

  it('translates under a prefix where it says so, and only what it wants to', async () => {
    await useBrowser('fr', {
      billing_language: { message: 'fr' },
      billing_accountTitle: { message: 'Compte' },
      billing_packName: { message: '$1 crédits' },
    });
    provideTexts({ messagePrefix: 'billing_' });
    expect(t('accountTitle')).toBe('Compte');
    expect(t('packName', 100)).toBe('100 crédits');
    expect(t('accountSignOut')).toBe('Sign out');
    expect(textLocale()).toBe('fr');
  });

  it('translates what depends on a number by the plural categories of its own language', async () => {
    await useBrowser('pl', {
      billing_language: { message: 'pl' },
      billing_featureCost_one: { message: '$1 kredyt' },
      billing_featureCost_few: { message: '$1 kredyty' },
      billing_featureCost_many: { message: '$1 kredytów' },
      billing_lossCredits_other: { message: 'Przepadnie: $1.' },
    });
    provideTexts({ messagePrefix: 'billing_' });
    expect([1, 3, 5].map((n) => tCount(n, 'featureCost', String(n)))).toEqual([
      '1 kredyt',
      '3 kredyty',
      '5 kredytów',
    ]);
    expect(tCount(3, 'lossCredits', '3')).toBe('Przepadnie: 3.');
    expect(tCount(3, 'meterAria', '3')).toBe('3 credits left');
  });
});

describe('the language of the texts', () => {
  it('is German where the browser is, and tells pages that were painted before it was there', async () => {
    const changed = vi.fn();
    const end = onTextsChanged(changed);
    await useBrowser('de-AT');
    end();
    expect(changed).toHaveBeenCalledOnce();
    expect(t('accountSignOut')).toBe(german.accountSignOut);
    expect(textLocale()).toBe('de-AT');
  });

  it('is English where there are no texts in the browser’s, dates included', async () => {
    await useBrowser('fr');
    expect(t('accountTitle')).toBe('Account');
    expect(textLocale()).toBe('en');
    await useBrowser('en-GB');
    expect(textLocale()).toBe('en-GB');
  });

  it('is the one that the extension chose, whatever the browser’s', async () => {
    await useBrowser('de');
    provideTexts({ language: 'en' });
    await textsLoaded();
    expect(t('accountSignOut')).toBe('Sign out');
    expect(textLocale()).toBe('en');
  });
});

beforeAll(useEnglish);

/** A record, so that the compiler asks for a new code here too. */
const AUTH_CODES: Readonly<Record<AuthFailureCode, true>> = {
  invalid_credentials: true,
  invalid_email: true,
  email_in_use: true,
  weak_password: true,
  account_disabled: true,
  session_expired: true,
  too_many_attempts: true,
  network: true,
  cancelled: true,
  not_configured: true,
  wrong_account: true,
  guest_has_purchases: true,
  password_required: true,
  not_deleted: true,
  guest_unchecked: true,
  deletion_unconfirmed: true,
  storage_unavailable: true,
  host_signs_in: true,
  link_invalid: true,
  unavailable: true,
};

it.each(Object.keys(AUTH_CODES) as AuthFailureCode[])('says %s as the worker does', (code) => {
  expect(refusalText({ code })).toBe(authFailure(code).message);
});

it.each<ErrorCode>([
  'already_subscribed',
  'already_owned',
  'no_customer',
  'unknown_lookup_key',
  'too_many_requests',
  'billing_disabled',
  'provider_unavailable',
  'unauthenticated',
  'temporarily_unavailable',
  'internal',
  'invalid_request',
])('says %s of a checkout as the worker does', async (code) => {
  const problem = { type: 'about:blank', title: '', status: 400, code, detail: 'For developers.' };
  const { checkout } = createOpenPage({
    api: { post: async () => ({ kind: 'problem', problem, retryAfterMs: null }) },
    uid: async () => 'ada',
    openTab: async () => {},
    onOpening: async () => {},
    onNotOpened: async () => {},
  });
  const refused = await checkout(PLAN.monthly);
  if (refused.ok) throw new Error('This checkout should have been refused.');
  expect(refusalText(refused)).toBe(refused.message);
});

it('says that another account signed in during a checkout as the worker does', async () => {
  const { checkout } = createOpenPage({
    api: { post: async () => ({ kind: 'account_changed' }) },
    uid: async () => 'ada',
    openTab: async () => {},
    onOpening: async () => {},
    onNotOpened: async () => {},
  });
  const refused = await checkout(PLAN.monthly);
  if (refused.ok) throw new Error('This checkout should have been refused.');
  expect(refusalText(refused)).toBe(refused.message);
});

it('has something to say about a code of another version', () => {
  expect(refusalText({ code: 'constructor' })).toMatch(/^Something went wrong/);
});

import { afterEach, expect, it, vi } from 'vitest';
import { textLocale } from './text-locale.ts';

afterEach(() => vi.unstubAllGlobals());
function useBrowser(uiLanguage: string, languageOfTexts: string): void {
  const i18n = { getUILanguage: () => uiLanguage, getMessage: () => languageOfTexts };
  vi.stubGlobal('chrome', { i18n });
}

it('is the user’s own where the texts are in that language', () => {
  useBrowser('en-GB', 'en');
  expect(textLocale()).toBe('en-GB');
  useBrowser('de', 'de');
  expect(textLocale()).toBe('de');
});

it('is that of the texts where there are none in the user’s language', () => {
  useBrowser('fr', 'en');
  expect(textLocale()).toBe('en');
});

it('is the user’s own where the texts do not name their language', () => {
  useBrowser('fr', '');
  expect(textLocale()).toBe('fr');
});

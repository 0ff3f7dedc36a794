import { pageBrowser } from '../../page-browser.ts';
import { english } from './english.ts';

/** A text that depends on a number: the sentence of each plural category of its language, and `other` for the rest. */
export type CountedText = { readonly other: string } & Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>;

type English = typeof english;
/** All texts of one language. English says which there are, so another that lacks one does not compile. */
export type Texts = { readonly [Key in keyof English]: English[Key] extends string ? string : CountedText };
/** The key of a text. */
export type MessageKey = { [Key in keyof English]: English[Key] extends string ? Key : never }[keyof English];
/** The key of a text that depends on a number. */
export type CountKey = Exclude<keyof English, MessageKey>;

/** The languages that are built in. */
export type TextLanguage = 'en' | 'de';

/** Which language the texts are in, and who may translate them. */
export interface TextOptions {
  /** One of the built-in languages for everybody. Without it the browser's language decides, and else it is English. */
  readonly language?: TextLanguage;
  /**
   * Lets the extension's own `_locales` translate: `billing_` takes the text `accountTitle` from the message
   * `billing_accountTitle`, and a counted one from `billing_featureCost_one`, `…_other` and the language's other
   * plural categories. `billing_language` names the language. What is missing there is built in.
   */
  readonly messagePrefix?: string;
}

/** Languages that are read only where they are shown: a popup has to open at once. */
const OTHERS: Readonly<Record<Exclude<TextLanguage, 'en'>, () => Promise<Texts>>> = {
  de: async () => (await import('./german.ts')).german,
};

let options: TextOptions = {};
let texts: Texts = english;
let loading: { readonly language: TextLanguage; readonly done: Promise<void> } | null = null;
const listeners = new Set<() => void>();

/** Says in which language the components speak, and whether the extension translates them. Before the first render. */
export function provideTexts(given: TextOptions): void {
  options = given;
  void textsLoaded();
}

/**
 * Resolves when the texts of the user's language can be read: at once for English. Wait for it before the first render,
 * so that no other language is seen; `Surface` renders again where nobody did. Never rejects: English stays where the
 * file of another language is gone, because the extension was updated under an open page.
 */
export function textsLoaded(): Promise<void> {
  const language = builtInLanguage();
  if (loading?.language === language) return loading.done;
  const use = (loaded: Texts): void => {
    if (loading?.language !== language || texts === loaded) return;
    texts = loaded;
    for (const listener of listeners) listener();
  };
  const load = language === 'en' ? Promise.resolve(english) : OTHERS[language]();
  loading = { language, done: load.then(use, () => use(english)) };
  if (language === 'en') use(english);
  return loading.done;
}

/** The built-in texts as they are now: another object once a language was loaded. */
export function builtInTexts(): Texts {
  return texts;
}

/** The prefix of the extension's own messages; null where it does not translate. */
function messagePrefix(): string | null {
  return options.messagePrefix ?? null;
}

/** Calls back when a language was loaded. @returns what ends it. */
export function onTextsChanged(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function builtInLanguage(): TextLanguage {
  if (options.language !== undefined) return options.language;
  const { language } = new Intl.Locale(userLocale());
  return Object.hasOwn(OTHERS, language) ? (language as keyof typeof OTHERS) : 'en';
}

/** The browser's language for the extension, such as `de` or `en-GB`. */
export function userLocale(): string {
  return pageBrowser().i18n.getUILanguage();
}

const rules = new Map<string, Intl.PluralRules>();

/** The sentence behind a key in the user's language. `subs` fill its placeholders in order. */
export function t(key: MessageKey, ...subs: readonly (string | number)[]): string {
  const given = subs.map(String);
  return ownMessage(key, given) || fillIn(builtInTexts()[key], given);
}

/**
 * The sentence for a number, by the plural rules of its language. `count` chooses it and is not filled in: `subs` are,
 * formatted by the caller.
 */
export function tCount(count: number, key: CountKey, ...subs: readonly string[]): string {
  const own =
    ownMessage(`${key}_${pluralCategory(t('language'), count)}`, subs) || ownMessage(`${key}_other`, subs);
  if (own !== '') return own;
  const texts = builtInTexts();
  const counted = texts[key];
  return fillIn(counted[pluralCategory(texts.language, count)] ?? counted.other, subs);
}

/** The extension's own message; empty where it has none, or does not translate. */
function ownMessage(name: string, subs: readonly string[]): string {
  const prefix = messagePrefix();
  return prefix === null ? '' : pageBrowser().i18n.getMessage(prefix + name, [...subs]);
}

/** A full stop after what ends with one, as a German "20. Nov." does, is left out. */
function fillIn(text: string, subs: readonly string[]): string {
  return text.replaceAll(/\$([1-9])(\.?)/g, (_, at: string, stop: string) => {
    const sub = subs[Number(at) - 1] ?? '';
    return sub.endsWith('.') ? sub : sub + stop;
  });
}

function pluralCategory(language: string, count: number): Intl.LDMLPluralRule {
  const rule = rules.get(language) ?? new Intl.PluralRules(language);
  rules.set(language, rule);
  return rule.select(count);
}

/**
 * The locale for what stands inside a sentence, such as a date: the user's where the texts are in that language
 * (en-GB with English texts), and else the language of the texts, so that no French date stands in an English sentence.
 */
export function textLocale(): string {
  const user = userLocale();
  const language = t('language');
  return new Intl.Locale(user).language === language ? user : language;
}

import { builtInTexts, type CountKey, type MessageKey, messagePrefix } from './texts.ts';

export type { CountKey, MessageKey } from './texts.ts';

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
  return prefix === null ? '' : chrome.i18n.getMessage(prefix + name, [...subs]);
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

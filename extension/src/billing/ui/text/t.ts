import type messages from '@messages';

/** A key of `_locales/en/messages.json`. */
export type MessageKey = keyof typeof messages;

/** The sentence behind a key in the user's language. `subs` fill its placeholders in order. */
export function t(key: MessageKey, ...subs: readonly (string | number)[]): string {
  return chrome.i18n.getMessage(key, subs.map(String));
}

/** One of two sentences, for languages that tell one from many. `count` is filled in, formatted by the caller. */
export function tCount(count: number, one: MessageKey, many: MessageKey, ...subs: readonly string[]): string {
  return t(count === 1 ? one : many, ...subs);
}

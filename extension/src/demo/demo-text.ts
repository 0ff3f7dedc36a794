import type messages from '@messages';

/** A key of this extension's own `_locales/en/messages.json`. The components bring their texts themselves. */
export type DemoKey = keyof typeof messages;

/** A text of this extension in the user's language. */
export function demoText(key: DemoKey): string {
  return chrome.i18n.getMessage(key);
}

import type messages from '@messages';

/** A key of this extension's own `_locales/en/messages.json`. The components bring their texts themselves. */
export type DemoKey = keyof typeof messages;

/** A text of this extension in the user's language. */
export function demoText(key: DemoKey): string {
  return chrome.i18n.getMessage(key);
}

/** The name of a feature of the catalogue, or the words on its button. One without a text is called by its key. */
export function featureText(what: 'feature' | 'run', feature: string): string {
  const words = feature.replaceAll(/[^A-Za-z0-9]+/g, '_');
  const named = chrome.i18n.getMessage(`${what}_${words}`);
  return named || words.charAt(0).toUpperCase() + words.slice(1).replaceAll('_', ' ');
}

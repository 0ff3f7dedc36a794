import german from '../../../../extension/public/_locales/de/messages.json';
import english from '../../../../extension/public/_locales/en/messages.json';
import { installFakeChrome } from './fake-chrome.ts';
import { previewStates } from './states.ts';

/** What the address of the page asks for, in place before anything is rendered. */
export function prepareState(): URLSearchParams {
  const asked = new URL(location.href).searchParams;
  const states: Readonly<Record<string, ReturnType<typeof previewStates>['active'] | undefined>> =
    previewStates(Date.now());
  const state = states[asked.get('state') ?? ''];
  if (state === undefined)
    throw new Error(`There is no such state. Try one of ${Object.keys(states).join(', ')}.`);

  const locale = asked.get('locale') ?? 'en-US';
  installFakeChrome(state, locale.startsWith('de') ? german : english, locale);
  document.documentElement.style.colorScheme = asked.get('theme') ?? 'light dark';
  document.documentElement.style.fontSize = asked.get('text') ?? '';
  return asked;
}

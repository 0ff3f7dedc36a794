export type Messages = Readonly<Record<string, { readonly message: string }>>;

/** `chrome.i18n.getMessage` over a `messages.json`: `$1` … `$9` are filled in, an unknown key gives "". */
export function getMessageFrom(messages: Messages): (key: string, subs?: readonly string[]) => string {
  return (key, subs = []) =>
    messages[key]?.message.replaceAll(/\$([1-9])/g, (_, at: string) => subs[Number(at) - 1] ?? '') ?? '';
}

/** An English browser, for a test without one: the components' texts are built in. */
export function useEnglish(): void {
  const i18n = { getMessage: getMessageFrom({}), getUILanguage: () => 'en-US' };
  Object.assign(globalThis, { chrome: { i18n } });
}

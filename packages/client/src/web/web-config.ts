import type { BillingConfig } from '../background/config.ts';

/** What a web page needs to know about the project, and what it has in the place of an extension's manifest. */
export interface WebBillingConfig
  extends Omit<BillingConfig, 'googleClientId' | 'googleAuthorizeUrl' | 'returnOrigin' | 'unknownMessages'> {
  /** Address of an icon of 48 pixels or more beside the app's name. None is shown without it. */
  readonly icon?: string;
  /**
   * The app's own texts, where the catalogue or `provideTexts` names messages as an extension's `_locales` do. Empty
   * where there is none of that name.
   */
  readonly message?: (name: string, substitutions: readonly string[]) => string;
}

/** What a web page has for an extension's id. No extension has this one. */
export const WEB_ID = 'web';

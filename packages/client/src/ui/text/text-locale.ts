import { t } from './t.ts';
import { userLocale } from './texts.ts';

/**
 * The locale for what stands inside a sentence, such as a date: the user's where the texts are in that language
 * (en-GB with English texts), and else the language of the texts, so that no French date stands in an English sentence.
 */
export function textLocale(): string {
  const user = userLocale();
  const language = t('language');
  return new Intl.Locale(user).language === language ? user : language;
}

/** Markup that is already escaped. Only `html` makes it, so a plain string can never be taken for it. */
export class SafeHtml {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

/** What may stand between `${` and `}`: text is escaped, nothing-values vanish, lists are joined. */
export type Fragment = SafeHtml | string | number | null | undefined | false | readonly Fragment[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

function renderFragment(fragment: Fragment): string {
  if (fragment instanceof SafeHtml) return fragment.markup;
  if (fragment === null || fragment === undefined || fragment === false) return '';
  if (typeof fragment === 'string' || typeof fragment === 'number') return escapeText(String(fragment));
  return fragment.map(renderFragment).join('');
}

/** Markup with every inserted text escaped, for element content and quoted attributes alike. */
export function html(strings: TemplateStringsArray, ...fragments: Fragment[]): SafeHtml {
  return new SafeHtml(
    strings.reduce((markup, string, index) => markup + renderFragment(fragments[index - 1]) + string),
  );
}

/** Markup written in this folder (a style sheet, a script), inserted as it stands. Never for data. */
export function trusted(markup: string): SafeHtml {
  return new SafeHtml(markup);
}

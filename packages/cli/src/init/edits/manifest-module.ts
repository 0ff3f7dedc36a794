import type { Change } from '../change.ts';
import type { Manifest } from '../extension.ts';
import { NEEDED } from './needed.ts';

/**
 * A manifest that a module exports as one literal object, such as `defineManifest({ … })`: what it says of the keys that
 * billing cares for. Null where that cannot be told: more than one object, or a value that is computed.
 */
export function readModule(text: string): Manifest | null {
  const code = withoutComments(text);
  if ((code.match(VERSION) ?? []).length !== 1) return null;
  const worker = plainValue(code, 'service_worker');
  const page =
    plainValue(code, 'options_page') ?? (says(code, 'options_ui') ? plainValue(code, 'page') : undefined);
  if (worker === null || page === null || (says(code, 'options_ui') && page === undefined)) return null;
  return {
    manifest_version: 3,
    ...(worker === undefined ? {} : { background: { service_worker: worker } }),
    ...(page === undefined ? {} : { options_ui: { page } }),
  };
}

const VERSION = /["']?\bmanifest_version\b["']?\s*:\s*3\b/g;
const says = (code: string, key: string): boolean => new RegExp(`\\b${key}\\b`).test(code);

/** A key's value where it is plain text, undefined where the key is not there, null where it is anything else. */
function plainValue(code: string, key: string): string | null | undefined {
  const found = [...code.matchAll(new RegExp(`["']?\\b${key}\\b["']?\\s*:\\s*(["'\`])([^"'\`$]*)\\1`, 'g'))];
  const all = [...code.matchAll(new RegExp(`\\b${key}\\b["']?\\s*[:,}]`, 'g'))];
  if (all.length === 0) return undefined;
  const [only] = found;
  return found.length === 1 && all.length === 1 && only !== undefined ? (only[2] ?? null) : null;
}

/** Comments as blanks, so that places stay the same. */
function withoutComments(text: string): string {
  return text.replaceAll(/(["'`])(?:\\.|(?!\1)[^\\])*\1|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (found) =>
    found.startsWith('/') ? found.replaceAll(/[^\n]/g, ' ') : found,
  );
}

/**
 * What billing needs in a manifest that a module makes: a line for each key behind `manifest_version`, or one more item
 * in a list of plain texts.
 *
 * @param value what `readModule` said of it; null if it can't be told
 * @param page billing's, if it has no options page
 * @param worker billing's, if it has none
 */
export function moduleChanges(
  { path, value }: { readonly path: string; readonly value: Manifest | null },
  page: string,
  worker = 'billing/background.js',
): readonly Change[] {
  const background = `background: { service_worker: '${worker}', type: 'module' },`;
  const connectable = `externally_connectable: { ids: ['*'], matches: ['${NEEDED.returnPages}'] },`;
  const options = `options_ui: { page: '${page}', open_in_tab: true },`;
  const change = (why: string, line: string, edit: (text: string) => string | null): Change => ({
    kind: 'edit',
    path,
    why,
    lines: [line],
    edit: (text) => (readModule(text) === null ? null : edit(text)),
  });
  return [
    change(
      'permissions: storage keeps what pages show, alarms looks for a purchase while a checkout is open',
      `permissions: [${NEEDED.permissions.map((name) => `'${name}'`).join(', ')}],`,
      (text) => withItems(text, 'permissions', NEEDED.permissions),
    ),
    change('the page that a checkout returns to may wake the worker', connectable, (text) => {
      const code = withoutComments(text);
      if (!says(code, 'externally_connectable')) return withLine(text, connectable);
      return code.includes(NEEDED.returnPages) ? text : null;
    }),
    ...(value?.background === undefined
      ? [
          change('the worker that billing runs in', background, (text) =>
            says(withoutComments(text), 'background') ? text : withLine(text, background),
          ),
        ]
      : []),
    ...(value?.options_ui === undefined && value?.options_page === undefined
      ? [
          change(
            'billing’s page is the options page: chrome.runtime.openOptionsPage() opens it',
            options,
            (text) => (says(withoutComments(text), 'options_ui') ? text : withLine(text, options)),
          ),
        ]
      : []),
  ];
}

/** One more property behind `manifest_version`, as that is written. */
function withLine(text: string, line: string): string | null {
  const code = withoutComments(text);
  const found = /^([ \t]*)(["']?)manifest_version\2\s*:\s*3[ \t]*(,?)/m.exec(code);
  if (found === null) return null;
  const [whole, indent = '', quote = '', comma = ''] = found;
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const at = found.index + whole.length;
  // A comment behind it, on its line, stays there.
  const behind = /^[^\r\n]*/.exec(code.slice(at))?.[0] ?? '';
  const from = behind.trim() === '' ? at + behind.length : at;
  const property = quote === '' ? line : line.replace(/^(\w+)/, `${quote}$1${quote}`);
  const last = comma === '' ? property.replace(/,$/, '') : property;
  const before = `${text.slice(0, at)}${comma === '' ? ',' : ''}${text.slice(at, from)}`;
  return `${before}${end}${indent}${last}${text.slice(from)}`;
}

/** A list of plain texts with what is missing at its end; a new one where there is none. */
function withItems(text: string, key: string, items: readonly string[]): string | null {
  const code = withoutComments(text);
  if (!new RegExp(`(?<![\\w])${key}\\b`).test(code)) {
    return withLine(text, `${key}: [${items.map((item) => `'${item}'`).join(', ')}],`);
  }
  const found = [...code.matchAll(new RegExp(`(?<![\\w])["']?${key}["']?\\s*:\\s*\\[([^\\]]*)\\]`, 'g'))];
  const [only] = found;
  if (found.length !== 1 || only === undefined) return null;
  const [whole, inside = ''] = only;
  if (!/^\s*(?:(["'`])[^"'`]*\1\s*,?\s*)*$/.test(inside)) return null;
  const missing = items.filter((item) => !new RegExp(`["'\`]${item}["'\`]`).test(inside));
  if (missing.length === 0) return text;
  // By the code, in which comments are blanks: a comment behind the last item stays behind the new ones.
  const at = only.index + whole.length - 1 - inside.length + inside.trimEnd().length;
  const quote = /["']/.exec(inside)?.[0] ?? "'";
  const open = inside.trimEnd();
  const separator = open === '' ? '' : open.endsWith(',') ? ' ' : ', ';
  const added = missing.map((item) => `${quote}${item}${quote}`).join(', ');
  return `${text.slice(0, at)}${separator}${added}${text.slice(at)}`;
}

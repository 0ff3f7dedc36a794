import type { Change } from '../change.ts';
import type { Manifest, ManifestFile } from '../extension.ts';
import { SERVICE_ORIGINS } from '../templates/addresses.ts';
import { addToJsonList, parseJson, setJson } from './json.ts';
import { moduleChanges } from './manifest-module.ts';
import { BILLING_PAGE, NEEDED } from './needed.ts';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const edit = (
  { path, under = [] }: ManifestFile,
  why: string,
  lines: readonly string[],
  change: (text: string, manifest: Manifest) => string,
): Change => ({
  kind: 'edit',
  path,
  why,
  lines,
  edit: (text) => {
    const whole = parseJson(text);
    if (!isObject(whole)) return null;
    const manifest = under.reduce((value: unknown, key) => (isObject(value) ? value[key] : undefined), whole);
    return change(text, isObject(manifest) ? manifest : {});
  },
});

/** Permissions, the return pages, a policy that lets the service through, and billing's page as the options page. */
export function manifestChanges(file: ManifestFile, page: string = BILLING_PAGE): readonly Change[] {
  if (file.form === 'module') {
    const own = ownOptions(file);
    const isOwn = own !== undefined && own !== page;
    return [...moduleChanges(file, page), ...(isOwn ? [linkByHand(own, page)] : [])];
  }
  return [...permissionChanges(file), ...policyChange(file), ...optionsChange(file, page)];
}

/** Permissions and the return pages. */
function permissionChanges(file: ManifestFile): readonly Change[] {
  const { under = [] } = file;
  return [
    edit(
      file,
      'permissions: storage keeps what pages show, alarms looks for a purchase while a checkout is open',
      ['"permissions": ["storage", "alarms"]'],
      (text) => addToJsonList(text, [...under, 'permissions'], NEEDED.permissions),
    ),
    edit(
      file,
      'the page that a checkout returns to may wake the worker',
      [`"externally_connectable": { "ids": ["*"], "matches": ["${NEEDED.returnPages}"] }`],
      // Without the key every other extension may connect; with it, only those that "ids" names.
      (text, { externally_connectable: there }) =>
        there === undefined
          ? setJson(text, [...under, 'externally_connectable'], { ids: ['*'], matches: [NEEDED.returnPages] })
          : addToJsonList(text, [...under, 'externally_connectable', 'matches'], [NEEDED.returnPages]),
    ),
  ];
}

/** Puts the background into a manifest that has none. */
export function backgroundChange(file: ManifestFile, worker: string): Change {
  return edit(
    file,
    'the worker that billing runs in',
    [`"background": { "service_worker": "${worker}", "type": "module" }`],
    (text, { background }) =>
      background === undefined
        ? setJson(text, ['background'], { service_worker: worker, type: 'module' })
        : text,
  );
}

/** Puts billing's files behind the scripts of a background that is no service worker. */
export function scriptsChange(file: ManifestFile, scripts: readonly string[]): Change {
  return edit(
    file,
    'the background that billing runs in',
    [`"background": { "scripts": [..., ${scripts.map((script) => `"${script}"`).join(', ')}] }`],
    (text) => addToJsonList(text, ['background', 'scripts'], scripts),
  );
}

/** What an owner adds to an options page of their own, so that people find billing's. */
export function linkByHand(own: string, page: string): Change {
  return {
    kind: 'by-hand',
    path: own,
    why: 'the way to billing’s page: put it where your users look for their account',
    lines: [`<a href="/${page}" target="_blank">Billing</a>`],
  };
}

const ownOptions = ({ value }: ManifestFile): string | undefined =>
  value.options_page ?? value.options_ui?.page;

function optionsChange(file: ManifestFile, page: string): readonly Change[] {
  const own = ownOptions(file);
  if (own === page) return [];
  if (own !== undefined) return [linkByHand(own, page)];
  return [
    edit(
      file,
      'billing’s page is the options page: chrome.runtime.openOptionsPage() opens it',
      [`"options_ui": { "page": "${page}", "open_in_tab": true }`],
      (text, manifest) =>
        manifest.options_ui === undefined ? setJson(text, ['options_ui'], { page, open_in_tab: true }) : text,
    ),
  ];
}

/** A policy of one's own must let the service through; without one, nothing is needed. */
function policyChange(file: ManifestFile): readonly Change[] {
  const policy = file.value.content_security_policy?.extension_pages;
  if (policy === undefined || allowService(policy) === policy) return [];
  return [
    edit(
      file,
      'the content security policy lets the service, its sign-in and its database through',
      [`connect-src … ${SERVICE_ORIGINS.join(' ')}`],
      (text) =>
        setJson(
          text,
          [...(file.under ?? []), 'content_security_policy', 'extension_pages'],
          allowService(policy),
        ),
    ),
  ];
}

/** A policy with the service among what may be connected to. One that restricts no connection stays as it is. */
export function allowService(policy: string): string {
  const directives = policy.split(';').map((part) => part.trim());
  const named = (name: string) => directives.find((part) => part.split(/\s+/)[0]?.toLowerCase() === name);
  const connect = named('connect-src');
  const base = connect ?? named('default-src');
  if (base === undefined) return policy;
  const sources = base
    .split(/\s+/)
    .slice(1)
    .filter((source) => source !== "'none'");
  const missing = SERVICE_ORIGINS.filter((origin) => !sources.includes(origin));
  if (missing.length === 0 || sources.includes('*')) return policy;
  const whole = ['connect-src', ...sources, ...missing].join(' ');
  const rest = directives.filter((part) => part !== '' && part !== connect);
  return [...rest, whole].join('; ');
}

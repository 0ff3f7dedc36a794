import { existsSync, readFileSync } from 'node:fs';
import type { ManifestV3Export } from '@crxjs/vite-plugin';
import { type BuildAddresses, reachedOrigins } from './build/addresses.ts';

/** Fixes the extension's id in every local build (keggfklddlhbjeolakknnaliambbpajm); the Web Store gives its own. */
export const PUBLIC_KEY =
  'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEArPEdIVIfX7cSQLH+asKD2Ha2zviBcsrmEOztC92htSyVaXqSg7/h7/gCWeUyAPbiOoFNZP8labJFIb2njgKDWLiTOxpsWXK68fdtnaeuyrXLryRxPynFKH6pis/hcjZTZmG8hbCdoaFvsHP2w8duwvkv9I+/WiBakRaeNUIqRtGowAnBHyH3/a4rlUA9BBiC26baZHhjZaHrx4A+drvSXFUi6sTNwYUTVO/qUd/QW+FHnlvH+x4H4N4TIVKrUOb1rrN2La/wLPwwceNa1JrX8vC/Lw6lrNhiU4b+FleFGxqMIC5duQZGeKatI8RdgsCaZrIPu/lLUyO14KGL6Zc/jwIDAQAB';

/** Least permissions: each with what would stop working without it. There are no host permissions. */
function permissions(addresses: BuildAddresses): chrome.runtime.ManifestPermission[] {
  return [
    'storage', // storage.local holds the entitlement snapshot, storage.session the unfinished consumes
    'alarms', // looks for a purchase while a checkout is open in a tab and the worker may be dead
    'sidePanel', // the demo's side panel
    // launchWebAuthFlow for Google; email and password need no permission
    ...(addresses.googleClientId === '' ? [] : (['identity'] as const)),
  ];
}

const ICONS = {
  16: 'icons/icon-16.png',
  32: 'icons/icon-32.png',
  48: 'icons/icon-48.png',
  128: 'icons/icon-128.png',
};

export type Manifest = Extract<ManifestV3Export, { manifest_version: number }>;

/** The manifest of one build. `development` also lets pages reach vite's own server. */
export function manifest(addresses: BuildAddresses, options: { development: boolean }): Manifest {
  const texts = englishTexts();
  const text = (key: string, otherwise: string): string =>
    Object.hasOwn(texts, key) ? `__MSG_${key}__` : otherwise;
  const name = text('extensionName', 'Extension billing demo');
  const reached = [
    ...reachedOrigins(addresses),
    ...(options.development ? ['http://localhost:*', 'ws://localhost:*'] : []),
  ];
  return {
    manifest_version: 3,
    name,
    description: text(
      'extensionDescription',
      'Subscriptions and credits in a Chrome extension, on your own Firebase.',
    ),
    version: '0.1.0',
    key: PUBLIC_KEY,
    minimum_chrome_version: '121',
    ...(Object.keys(texts).length === 0 ? {} : { default_locale: 'en' }),
    background: { service_worker: 'src/demo/background.ts', type: 'module' },
    icons: ICONS,
    action: {
      default_popup: 'src/demo/popup/index.html',
      default_title: name,
      default_icon: ICONS,
    },
    side_panel: { default_path: 'src/demo/side-panel/index.html' },
    options_page: 'src/demo/options/index.html',
    permissions: permissions(addresses),
    externally_connectable: { matches: [`${addresses.returnOrigin}/*`] },
    content_security_policy: {
      extension_pages: [
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'", // React sets style attributes, such as the width of the meter's bar
        "img-src 'self' data:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        `connect-src 'self' ${reached.join(' ')}`,
      ].join('; '),
    },
  };
}

/** The extension's texts, in which the browser looks up its name; none before there are any. */
function englishTexts(): object {
  const file = new URL('./public/_locales/en/messages.json', import.meta.url);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

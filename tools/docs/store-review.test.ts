import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { addressesFrom, reachedOrigins } from '../../extension/build/addresses.ts';
import { manifest } from '../../extension/manifest.config.ts';
import { temporaryFolder } from '../test/temporary-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(root, 'docs/store-review.md'), 'utf8');

/** Of the first table below a heading: the cells of each row. */
function tableBelow(heading: string): string[][] {
  const [, text = ''] = page.split(`${heading}\n`);
  const [table = ''] = /^\|[\s\S]*?(?=\n\n)/m.exec(text) ?? [];
  const [, , ...rows] = table.split('\n');
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}
const name = (cell = ''): string => /`([^`]+)`/.exec(cell)?.[1] ?? '';

/** With everything that a build can have: Google's sign-in, a project of one's own. */
const ADDRESSES = addressesFrom({
  VITE_API_BASE_URL: 'https://us-central1-shop.cloudfunctions.net/api',
  VITE_AUTH_EMULATOR_URL: '',
  VITE_FIRESTORE_EMULATOR: '',
  VITE_RETURN_ORIGIN: 'https://shop.example',
  VITE_GOOGLE_CLIENT_ID: 'client',
});
const built = manifest(ADDRESSES, { development: false });

it('has a reason to paste for each permission of the manifest, within the store’s limit, and for no other', () => {
  const rows = tableBelow('### Why each permission');
  expect(rows.map(([cell]) => name(cell)).toSorted()).toEqual([...(built.permissions ?? [])].toSorted());
  for (const [permission, reason = ''] of rows) {
    expect(reason.length, permission).toBeGreaterThan(60);
    expect(reason.length, permission).toBeLessThanOrEqual(1_000);
  }
});

it('says rightly that there are no host permissions and no content scripts', () => {
  for (const key of ['host_permissions', 'optional_host_permissions', 'content_scripts']) {
    expect(built).not.toHaveProperty(key);
  }
  expect(built.externally_connectable).toEqual({ matches: ['https://shop.example/*'] });
});

it('names every host that a build reaches, and no other but Google’s window for signing in', () => {
  const [own, ...others] = tableBelow('## What leaves the browser').map(([cell]) => name(cell));
  const reached = reachedOrigins(ADDRESSES).map((origin) => new URL(origin).host);
  expect(own).toBe('VITE_API_BASE_URL');
  expect(others).toContain('accounts.google.com');
  expect(others.filter((host) => host !== 'accounts.google.com').toSorted()).toEqual(
    reached.filter((host) => host !== 'us-central1-shop.cloudfunctions.net').toSorted(),
  );
});

it('says of remote code what the policy of the extension’s pages enforces', () => {
  const policy = built.content_security_policy;
  const pages = typeof policy === 'object' ? policy.extension_pages : undefined;
  expect(pages).toContain("script-src 'self';");
  expect(page).toContain("allows `script-src 'self'` alone");
});

it('names tests and pages that are there', () => {
  const files = [...page.matchAll(/`((?:tools|packages|extension|functions)\/[\w./-]+)`/g)].map(
    ([, path = '']) => path,
  );
  const links = [...page.matchAll(/\]\((?!https:)([\w./-]+)/g)].map(([, path = '']) => `docs/${path}`);
  expect(files.length).toBeGreaterThan(3);
  expect(links.length).toBeGreaterThan(2);
  expect([...files, ...links].filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

it('has a manifest for Firefox that Mozilla’s linter takes, with what the store asks for', async () => {
  const [, json = '{}'] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
  const rest = { manifest_version: 3, name: 'My extension', version: '1.0.0' };
  const lint = async (shown: object) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ ...rest, ...shown }));
    const linter = join(root, 'node_modules/addons-linter/bin/addons-linter');
    const said = await new Promise<string>((resolve) => {
      execFile(process.execPath, [linter, folder, '--output', 'json'], (_, stdout) => resolve(stdout));
    });
    const { errors, warnings }: Record<string, { code: string }[]> = JSON.parse(said);
    return [...(errors ?? []), ...(warnings ?? [])].map(({ code }) => code);
  };
  const silent = JSON.parse(json);
  delete silent.browser_specific_settings.gecko.data_collection_permissions;
  expect(await Promise.all([lint(JSON.parse(json)), lint(silent)])).toEqual([
    [],
    ['MISSING_DATA_COLLECTION_PERMISSIONS'],
  ]);
});

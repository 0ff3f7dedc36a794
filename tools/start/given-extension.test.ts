import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { addressesFrom } from '../../extension/build/addresses.ts';
import { manifest as demoManifest } from '../../extension/manifest.config.ts';
import { LOCAL_EXTENSION_ID } from '../../packages/cli/src/local/suite.ts';
import { findExtension, idOf, writeSoldCatalog } from './given-extension.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'billing-given-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});
function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
const MANIFEST = JSON.stringify({
  manifest_version: 3,
  background: { service_worker: 'background.js' },
  action: { default_popup: 'popup.html' },
});
function writeExtension(path: string): void {
  write(`${path}manifest.json`, MANIFEST);
  write(`${path}background.js`, '');
}

describe('what is loaded of somebody’s folder', () => {
  it('is the folder itself, where nothing is built', () => {
    writeExtension('');
    expect(findExtension(folder)).toMatchObject({ folder, config: null });
  });
  it('has a manifest with comments, as Chromium reads it', () => {
    write('manifest.json', MANIFEST.replace('{', '{ // mine\n  /* of today */'));
    write('background.js', '');
    expect(findExtension(folder)).toMatchObject({ folder });
  });
  it('is what a tool built in it, the newest of several', () => {
    write('manifest.json', MANIFEST.replace('background.js', 'src/background.ts'));
    writeExtension('dist/');
    writeExtension('.output/chrome-mv3/');
    utimesSync(join(folder, 'dist/manifest.json'), new Date(0), new Date(0));
    write('billing.config.ts', '');
    expect(findExtension(folder)).toMatchObject({
      folder: join(folder, '.output/chrome-mv3'),
      config: join(folder, 'billing.config.ts'),
    });
  });
  it.each(['build/chromium/', 'dist_chrome/', 'distribution/', 'chrome/'])('is built in %s', (built) => {
    write('src/manifest.json', MANIFEST.replace('background.js', 'background.ts'));
    writeExtension('build/firefox/');
    writeExtension(built);
    expect(findExtension(folder).folder).toBe(join(folder, built.slice(0, -1)));
  });
  it('has its catalogue above it, where the build is named', () => {
    writeExtension('build/chrome-mv3-prod/');
    write('billing.config.mjs', '');
    expect(findExtension(join(folder, 'build/chrome-mv3-prod')).config).toBe(
      join(folder, 'billing.config.mjs'),
    );
  });
  it('opens at billing’s page, where it has one, else at its own', () => {
    writeExtension('');
    const { id } = findExtension(folder);
    expect(findExtension(folder).page).toBe(`chrome-extension://${id}/popup.html`);
    write('billing/page.html', '');
    expect(findExtension(folder).page).toBe(`chrome-extension://${id}/billing/page.html`);
  });
  it('is asked to be built, where its worker is not there', () => {
    write('public/manifest.json', MANIFEST);
    expect(() => findExtension(folder)).toThrow(/Build the extension first/);
    expect(() => findExtension(join(folder, 'nowhere'))).toThrow(/no folder/);
  });
});

describe('the id of an unpacked extension', () => {
  it('is of its key', () => {
    const { key } = demoManifest(addressesFrom({}), { development: false });
    expect(idOf(folder, key)).toBe(LOCAL_EXTENSION_ID);
  });
  it('is of its path without one, another on Windows, where a path is another text', () => {
    expect(idOf('/home/ada/extension', undefined, 'linux')).toMatch(/^[a-p]{32}$/);
    expect(idOf('c:\\ada', undefined, 'win32')).toBe(idOf('C:\\ada', undefined, 'win32'));
    expect(idOf('/ada', undefined, 'win32')).not.toBe(idOf('/ada', undefined, 'linux'));
  });
});

describe('what it sells', () => {
  const CATALOG = {
    model: 'credits-only',
    gate: 'metered',
    trialDays: 0,
    plans: {},
    packs: { hundred: { amount: 500, currency: 'usd', credits: 100 } },
    features: { demo: { cost: 1 } },
  };
  const sold = async (file: string) => (await import(file)).default;

  it('is read from its file, be it data or defined already', async () => {
    write('a/billing.config.ts', `export default ${JSON.stringify(CATALOG)};`);
    const file = await writeSoldCatalog(join(folder, 'a/billing.config.ts'), folder);
    expect(await sold(file)).toMatchObject({ packs: [{ lookupKey: 'hundred', credits: 100 }] });
    write('b/billing.config.ts', `export { default } from '${file}';`);
    expect(await sold(await writeSoldCatalog(join(folder, 'b/billing.config.ts'), folder))).toEqual(
      await sold(file),
    );
  });
  it('is another file where anything of it is another', async () => {
    write('a/billing.config.ts', `export default ${JSON.stringify(CATALOG)};`);
    write('c/billing.config.ts', `export default ${JSON.stringify({ ...CATALOG, trialDays: 3 })};`);
    const [one, other] = await Promise.all(
      ['a', 'c'].map((name) => writeSoldCatalog(join(folder, name, 'billing.config.ts'), folder)),
    );
    expect(one).not.toBe(other);
  });
  it('is refused with its places where it cannot be sold', async () => {
    write('billing.config.ts', 'export default { model: "gifts" };');
    await expect(writeSoldCatalog(join(folder, 'billing.config.ts'), folder)).rejects.toThrow(
      /model must be/,
    );
  });
});

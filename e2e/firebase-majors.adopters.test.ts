// npx vitest run --project adopters: the packed client, which has a firebase inside, beside an extension's own of other versions.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SessionReply } from '../packages/client/src/messages.ts';
import { type ExtensionBrowser, launchExtension, sendMessage, waitForSnapshot } from './browser.ts';
import {
  copyExample,
  linkPeers,
  packClient,
  runNpm,
  runProgram,
  useSuiteAddresses,
} from './new-extension.ts';

/** The newest of each major. */
const VERSIONS = ['11.10.0', '12.19.0', '13.2.0'];
/** What firebase brings beside app, auth and Firestore; a registry may lack the newest of it. */
const OTHER_PARTS = [
  ...['ai', 'analytics', 'analytics-compat', 'app-check', 'app-check-compat', 'auth-compat', 'crashlytics'],
  ...['data-connect', 'database', 'database-compat', 'firestore-compat', 'functions', 'functions-compat'],
  ...['installations', 'installations-compat', 'messaging', 'messaging-compat', 'performance', 'vertexai'],
  ...['performance-compat', 'remote-config', 'remote-config-compat', 'storage', 'storage-compat'],
];

/** The extension's own Firebase app, made before billing's as an extension that has one would. */
const OWN_APP = `
  import { initializeApp } from 'firebase/app';
  import { getAuth } from 'firebase/auth/web-extension';
  getAuth(initializeApp({ projectId: 'of-the-extension', apiKey: 'its-own' }));
`;
const WITH_OWN_APP = `
  import './own-app.ts';
  import './background.ts';
`;

let packed: string;
let tarball: string;
beforeAll(async () => {
  packed = await mkdtemp(join(tmpdir(), 'billing-packed-'));
  tarball = await packClient(packed);
});
afterAll(() => rm(packed, { recursive: true, force: true }));

describe.each(VERSIONS)('an extension with a Firebase app of its own, on firebase %s', (version) => {
  let folder: string;
  let browser: ExtensionBrowser;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'billing-firebase-'));
    copyExample('summarise', folder);
    mkdirSync(join(folder, 'empty'));
    writeFileSync(join(folder, 'empty', 'package.json'), '{ "name": "empty", "version": "1.0.0" }');
    const overrides = Object.fromEntries(OTHER_PARTS.map((part) => [`@firebase/${part}`, 'file:./empty']));
    const own = { private: true, type: 'module', overrides };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(own));
    await runNpm(folder, [
      'install',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      tarball,
      `firebase@${version}`,
    ]);
    linkPeers(folder, ['vite', 'typescript', '@types/chrome']);
    useSuiteAddresses(join(folder, 'src'), process.env);
    writeFileSync(join(folder, 'src', 'own-app.ts'), OWN_APP);
    writeFileSync(join(folder, 'src', 'with-own-app.ts'), WITH_OWN_APP);
    const config = join(folder, 'vite.config.ts');
    writeFileSync(config, readFileSync(config, 'utf8').replace('src/background.ts', 'src/with-own-app.ts'));
    const manifest = join(folder, 'public', 'manifest.json');
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('background.js', 'with-own-app.js'));
    await runProgram(folder, 'vite', 'build');
    browser = await launchExtension({ dist: join(folder, 'dist') });
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('signs in, and keeps the user over the death of the worker', async () => {
    const page = await browser.context.newPage();
    await page.goto(`chrome-extension://${browser.extensionId}/options.html`);
    const email = `${randomUUID()}@example.test`;
    const signedUp = await sendMessage<{ ok: boolean }>(page, {
      type: 'authSignUp',
      email,
      password: randomUUID(),
    });
    expect(signedUp).toMatchObject({ ok: true });
    const { uid } = await waitForSnapshot(page, (snapshot) => snapshot.uid !== null);
    await browser.killWorker();
    const { user, expired } = await sendMessage<SessionReply>(page, { type: 'billingHello' });
    expect([user?.uid, expired]).toEqual([uid, false]);

    // As a version stored it that had no app of its own name.
    await browser.killWorker();
    await page.evaluate(moveToNamelessApp);
    const updated = await sendMessage<SessionReply>(page, { type: 'billingHello' });
    expect([updated.user?.uid, updated.expired]).toEqual([uid, false]);
  });
});

/** Runs in the page: Firebase's store of users is the extension's. */
async function moveToNamelessApp(): Promise<void> {
  const settled = <T>(request: IDBRequest<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const database = await settled(indexedDB.open('firebaseLocalStorageDb'));
  const users = () =>
    database.transaction('firebaseLocalStorage', 'readwrite').objectStore('firebaseLocalStorage');
  const rows: { fbase_key: string }[] = await settled(users().getAll());
  const row = rows.find(({ fbase_key }) => fbase_key.endsWith(':extension-billing'));
  if (row === undefined) throw new Error('No user is stored under the name of the app.');
  await settled(users().put({ ...row, fbase_key: row.fbase_key.replace(/extension-billing$/, '[DEFAULT]') }));
  await settled(users().delete(row.fbase_key));
  database.close();
}

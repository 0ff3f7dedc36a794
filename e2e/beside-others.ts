import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page, Worker } from 'playwright-core';

/** What an extension may have of its own, under names that billing could have wished for. */
const KEYS = ['session', 'user', 'credits', 'plan', 'purchaseWatch', 'billing', 'firebase'];
const OWN = { mine: [1, { deep: true }] };
const MESSAGES = {
  accountTitle: { message: 'Mine' },
  billing: { message: 'Mine' },
  language: { message: 'Mine' },
};

/** Runs before billing's module: its listeners come first. */
const BEFORE = `
const mine = (globalThis.mine = { before: Object.getOwnPropertyNames(globalThis) });
const later = (reply, value) => { setTimeout(() => reply(value), 30); return true; };
chrome.runtime.onMessage.addListener((message, sender, reply) => {
  if (message?.type === 'mine-now') reply({ mine: 'now' });
  if (message?.type === 'mine-later') return later(reply, { mine: 'later' });
});
chrome.runtime.onMessageExternal.addListener((message, sender, reply) => {
  if (message?.type === 'mine-now') reply({ mine: 'external' });
  if (message?.type === 'mine-later') return later(reply, { mine: 'external, later' });
});
chrome.runtime.onConnect.addListener((port) => port.onMessage.addListener((text) => port.postMessage('mine ' + text)));
chrome.alarms.onAlarm.addListener(() => {});
chrome.action.setBadgeText({ text: 'mine' });
const own = Object.fromEntries(${JSON.stringify(KEYS)}.map((key) => [key, ${JSON.stringify(OWN)}]));
const open = (name, store, keyPath) => new Promise((resolve, reject) => {
  const opening = indexedDB.open(name, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(store, { keyPath });
  opening.onsuccess = () => resolve(opening.result);
  opening.onerror = () => reject(opening.error);
});
const done = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});
// A Firebase app of the extension's own, of the same project, in which somebody else is signed in.
const USER = { fbase_key: 'firebase:authUser:demo-api-key:[DEFAULT]', value: { uid: 'somebody-else' } };
const stores = [['mine', 'things', 'fbase_key'], ['firebaseLocalStorageDb', 'firebaseLocalStorage', 'fbase_key']];
chrome.runtime.onInstalled.addListener(async () => {
  await chrome.storage.local.set(own);
  await chrome.storage.session.set(own);
  await chrome.alarms.create('mine', { delayInMinutes: 600 });
  for (const [name, store, key] of stores) {
    const database = await open(name, store, key);
    await done(database.transaction(store, 'readwrite').objectStore(store).put(USER));
    database.close();
  }
});
mine.look = async () => {
  const kept = {};
  for (const [name, store, key] of stores) {
    const database = await open(name, store, key);
    kept[name] = await done(database.transaction(store).objectStore(store).get(USER.fbase_key));
    database.close();
  }
  const [local, session] = [await chrome.storage.local.get(null), await chrome.storage.session.get(null)];
  return {
    kept, local, session,
    databases: (await indexedDB.databases()).map(({ name }) => name),
    caches: await caches.keys(),
    alarms: (await chrome.alarms.getAll()).map(({ name }) => name),
    badge: await chrome.action.getBadgeText({}),
    title: chrome.i18n.getMessage('accountTitle'),
    globals: mine.after.filter((name) => name !== 'mine' && !mine.before.includes(name)),
  };
};
`;

/** Runs after it: listeners that billing has come before. */
const AFTER = `
globalThis.mine.after = Object.getOwnPropertyNames(globalThis);
chrome.runtime.onMessage.addListener((message, sender, reply) => {
  if (message?.type === 'mine-last') reply({ mine: 'last' });
});
`;

/** Listeners as extensions have them that answer what isn't theirs: at once, late, with a promise, with an error. */
const ANSWERS_EVERYTHING = `
chrome.runtime.onMessage.addListener((message, sender, reply) => {
  reply({ error: 'Unknown message' });
});
chrome.runtime.onMessage.addListener(async () => ({ success: false }));
chrome.runtime.onMessage.addListener((message, sender, reply) => {
  setTimeout(() => reply('late'), 5);
  return true;
});
chrome.runtime.onMessage.addListener(() => {
  throw new Error('mine');
});
chrome.runtime.onConnect.addListener((port) => {
  port.postMessage({ mine: port.name });
  port.onMessage.addListener((message) => port.postMessage({ answer: message }));
});
`;

/** A content script that sends all the time, messages and ports, one of them under billing's own name. */
const SENDS_A_LOT = `
setInterval(() => {
  for (let i = 0; i < 20; i++) void chrome.runtime.sendMessage({ type: 'noise', i }).catch(() => {});
  for (const name of ['noise', 'extension-billing']) {
    const port = chrome.runtime.connect({ name });
    port.postMessage({ noise: 'x'.repeat(10_000) });
    port.onDisconnect.addListener(() => void chrome.runtime.lastError);
    setTimeout(() => port.disconnect(), 50);
  }
}, 250);
`;

/** Adds listeners that answer everything to a module worker, and a content script that sends a lot, to plain files. */
export function makeHostile(folder: string, worker: string): void {
  writeFileSync(join(folder, 'own.js'), ANSWERS_EVERYTHING);
  writeFileSync(join(folder, 'noisy.js'), SENDS_A_LOT);
  const script = join(folder, worker);
  writeFileSync(script, `import './own.js';\n${readFileSync(script, 'utf8')}`);
  const file = join(folder, 'manifest.json');
  const content_scripts = [{ matches: ['http://127.0.0.1/*'], js: ['noisy.js'] }];
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), content_scripts }));
}

/** Puts code, data and texts of an extension's own into a built one, around what billing has in its worker. */
export function moveInBeside(dist: string): void {
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(dist, path)), { recursive: true });
    writeFileSync(join(dist, path), text);
  };
  const manifest = JSON.parse(readFileSync(join(dist, 'manifest.json'), 'utf8'));
  const worker: string = manifest.background.service_worker;
  put('own/before.js', BEFORE);
  put('own/after.js', AFTER);
  put('own-worker.js', `import './own/before.js';\nimport './${worker}';\nimport './own/after.js';\n`);
  put('_locales/en/messages.json', JSON.stringify(MESSAGES));
  put(
    'manifest.json',
    JSON.stringify({
      ...manifest,
      default_locale: 'en',
      background: { ...manifest.background, service_worker: 'own-worker.js' },
      externally_connectable: { matches: ['http://127.0.0.1/*'] },
    }),
  );
}

interface Look {
  readonly kept: Readonly<Record<string, unknown>>;
  readonly local: Readonly<Record<string, unknown>>;
  readonly session: Readonly<Record<string, unknown>>;
  readonly databases: readonly string[];
  readonly caches: readonly string[];
  readonly alarms: readonly string[];
  readonly badge: string;
  readonly title: string;
  readonly globals: readonly string[];
}

/** What is there of the extension's own, and what beside it. */
export async function lookAround(worker: Worker): Promise<Look> {
  return worker.evaluate(() => (globalThis as unknown as { mine: { look(): Promise<Look> } }).mine.look());
}

/** The extension's own as it was put there, in what was found. */
export function isUntouched({ local, session, kept }: Look): boolean {
  const isOwn = (area: Look['local']): boolean =>
    KEYS.every((key) => JSON.stringify(area[key]) === JSON.stringify(OWN));
  return (
    isOwn(local) &&
    isOwn(session) &&
    Object.values(kept).every((user) => JSON.stringify(user).includes('somebody-else'))
  );
}

/** Keys and alarms that are not the extension's own. */
export function addedTo({ local, session, alarms }: Look): string[] {
  const added = [...Object.keys(local), ...Object.keys(session), ...alarms];
  return [...new Set(added)].filter((name) => name !== 'mine' && !KEYS.includes(name)).sort();
}

/** What the extension's own listeners answer to each of these, asked of a page of it; null for nothing. */
export function askOwn(page: Page, messages: readonly unknown[]): Promise<unknown[]> {
  return page.evaluate(
    (all) =>
      Promise.all(all.map((message) => chrome.runtime.sendMessage(message).then((reply) => reply ?? null))),
    messages,
  );
}

/** The same of a web page. */
export function askFromOutside(page: Page, id: string, messages: readonly unknown[]): Promise<unknown[]> {
  return page.evaluate(
    ([to, all]) =>
      Promise.all(
        all.map((message) => chrome.runtime.sendMessage(to, message).then((reply) => reply ?? null)),
      ),
    [id, messages] as const,
  );
}

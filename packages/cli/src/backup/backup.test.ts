import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { movingAddresses } from './addresses.ts';
import { writeDocuments } from './documents.ts';
import { beginBackup, type OpenedBackup, openBackup } from './folder.ts';
import { type ProviderState, signedWith } from './provider-state.ts';

const ADDRESSES = { PROVIDER_BASE_URL: 'http://127.0.0.1:4242', RETURN_BASE_URL: 'http://127.0.0.1:5056' };
const asItIs = () => (text: string) => text;

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'backup-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const STATE: ProviderState = { facts: { endpointSecrets: [['we_1', 'whsec_old']] } };
const CUSTOMERS = 'projects/p/databases/(default)/documents/customers';
const ADA = `{"name":"${CUSTOMERS}/ada","fields":{"n":{"integerValue":"5"},"of":{"stringValue":"Łódź\u2028by\u2029\u0085"}}}\n`;
const BOB = `{"name":"${CUSTOMERS}/bob"}\n`;

async function* each(...values: object[]) {
  yield* values;
}

/** A backup of two documents, and of users and a simulator where they are named. */
async function write(folder: string, provider: ProviderState | null = null) {
  // What a run that was killed left.
  await beginBackup(folder).writeUsers(each({ localId: 'z' }));
  expect(existsSync(folder)).toBe(false);
  const backup = beginBackup(folder);
  const users = await backup.writeUsers(each({ localId: 'a' }, { localId: 'b' }, { localId: 'c' }));
  if (provider !== null) backup.writeProvider(provider);
  const documents = await backup.writeDocuments(each(JSON.parse(ADA), JSON.parse(BOB)));
  return backup.finish({ madeAt: '2026-11-22T10:00:00Z', documents, users, addresses: ADDRESSES });
}

async function contentsOf({ documents, users }: OpenedBackup) {
  const found: object[][] = [[], []];
  for await (const document of documents()) found[0]?.push(document);
  for await (const user of users()) found[1]?.push(user);
  return found;
}

it('gives back what was written, down to the type of a value', async () => {
  const folder = join(aFolder(), 'of', 'today');
  expect(await write(folder, STATE)).toMatchObject({ documents: 2, users: 3, addresses: ADDRESSES });
  expect(statSync(folder).mode & 0o077).toBe(0);
  const opened = await openBackup(folder, asItIs);
  const [documents, users] = await contentsOf(opened);
  expect(documents).toEqual([JSON.parse(ADA), JSON.parse(BOB)]);
  expect([users?.length, opened.provider]).toEqual([3, STATE]);
});

it('puts documents back in requests that an emulator takes, however large they are', async () => {
  const requests: { length: number; writes: number }[] = [];
  const answer = async (_url: unknown, { body }: RequestInit = {}) => {
    requests.push({ length: String(body).length, writes: JSON.parse(String(body)).writes.length });
    return new Response('{}');
  };
  const fetching = vi.spyOn(globalThis, 'fetch').mockImplementation(answer);
  onTestFinished(() => fetching.mockRestore());
  async function* documents() {
    const fields = { entries: { bytesValue: 'A'.repeat(1_000_000) } };
    for (let large = 0; large < 9; large += 1) yield { name: `${CUSTOMERS}/ada/large/${large}`, fields };
    for (let user = 0; user < 301; user += 1) yield { name: `${CUSTOMERS}/${user}` };
  }
  const written: number[] = [];
  for await (const more of writeDocuments('127.0.0.1:1', documents())) written.push(more);
  expect(written).toEqual([4, 4, 300, 2]);
  expect(requests.map(({ writes }) => writes)).toEqual(written);
  expect(Math.max(...requests.map(({ length }) => length))).toBeLessThan(5_000_000);
});

it.each([
  ['firestore.jsonl', 2, { 'firestore.jsonl': `${ADA}{"name`, 'auth.jsonl': '' }],
  ['auth.jsonl', 1, { 'firestore.jsonl': ADA, 'auth.jsonl': '{"localId":' }],
])('refuses a backup whose %s cannot be read, before anything is removed', async (name, line, files) => {
  const folder = join(aFolder(), 'broken');
  mkdirSync(folder);
  const digests = Object.entries(files).map(([file, text]) => {
    writeFileSync(join(folder, file), text);
    return [file, createHash('sha256').update(text).digest('hex')];
  });
  const manifest = { format: 2, madeAt: '', documents: 1, users: 1, addresses: {} };
  writeFileSync(
    join(folder, 'backup.json'),
    JSON.stringify({ ...manifest, files: Object.fromEntries(digests) }),
  );
  await expect(openBackup(folder, asItIs)).rejects.toThrow(
    `${name} is not JSON (line ${line}): nothing was restored.`,
  );
});

it('takes no folder that holds something, and leaves it as it is', () => {
  const folder = aFolder();
  writeFileSync(join(folder, 'mine.txt'), 'mine');
  expect(() => beginBackup(folder)).toThrow('name another folder');
  expect(existsSync(join(folder, 'mine.txt'))).toBe(true);
});

it('refuses what is no backup, and one that was changed or lost a part', async () => {
  const folder = join(aFolder(), 'backup');
  await expect(openBackup(folder, asItIs)).rejects.toThrow('holds no backup');
  await write(folder);
  expect((await openBackup(folder, asItIs)).provider).toBeNull();
  appendFileSync(join(folder, 'firestore.jsonl'), '{}\n');
  await expect(openBackup(folder, asItIs)).rejects.toThrow('is not what was backed up');
  rmSync(join(folder, 'auth.jsonl'));
  await expect(openBackup(folder, asItIs)).rejects.toThrow('is not what was backed up');
});

it('moves every address to the other suite’s, and none twice', () => {
  const up = { PROVIDER_BASE_URL: 'http://127.0.0.1:5056', RETURN_BASE_URL: 'http://127.0.0.1:6056' };
  const move = movingAddresses(ADDRESSES, up);
  expect(move('http://127.0.0.1:4242/c/pay http://127.0.0.1:5056/billing http://127.0.0.1:42420')).toBe(
    'http://127.0.0.1:5056/c/pay http://127.0.0.1:6056/billing http://127.0.0.1:42420',
  );
  expect(movingAddresses(ADDRESSES, ADDRESSES)('http://127.0.0.1:4242')).toBe('http://127.0.0.1:4242');
});

it('signs as the suite that it goes to', () => {
  expect(signedWith(STATE, 'whsec_new').facts.endpointSecrets).toEqual([['we_1', 'whsec_new']]);
});

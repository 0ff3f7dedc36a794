import { appendFileSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { movingAddresses, openBackup, writeBackup } from './folder.ts';
import { type ProviderState, released, signedWith } from './provider-state.ts';

const ADDRESSES = { PROVIDER_BASE_URL: 'http://127.0.0.1:4242', RETURN_BASE_URL: 'http://127.0.0.1:5056' };
const asItIs = () => (text: string) => text;

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'backup-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const STATE: ProviderState = {
  facts: { endpointSecrets: [['we_1', 'whsec_old']] },
  deliveries: { mode: { hold: true }, all: [{ status: 'held' }, { status: 'delivered' }] },
};

async function* someDocuments() {
  yield {
    name: 'projects/p/databases/(default)/documents/customers/a',
    fields: { n: { integerValue: '5' } },
  };
  yield { name: 'projects/p/databases/(default)/documents/customers/b' };
}

it('gives back what was written, down to the type of a value', async () => {
  const folder = join(aFolder(), 'of', 'today');
  const contents = { documents: someDocuments(), users: [{ localId: 'a' }], provider: STATE };
  const manifest = await writeBackup(folder, contents, ADDRESSES);
  expect(manifest).toMatchObject({ documents: 2, users: 1, addresses: ADDRESSES });
  expect(statSync(folder).mode & 0o077).toBe(0);
  const opened = openBackup(folder, asItIs);
  const documents = [];
  for await (const document of opened.documents) documents.push(document);
  expect(documents).toEqual([
    { name: expect.stringMatching(/\/a$/), fields: { n: { integerValue: '5' } } },
    { name: expect.stringMatching(/\/b$/) },
  ]);
  expect([opened.users, opened.provider]).toEqual([[{ localId: 'a' }], STATE]);
});

it('takes no folder that holds something, and leaves it as it is', async () => {
  const folder = aFolder();
  writeFileSync(join(folder, 'mine.txt'), 'mine');
  const contents = { documents: someDocuments(), users: [], provider: null };
  await expect(writeBackup(folder, contents, ADDRESSES)).rejects.toThrow('name another folder');
  expect(existsSync(join(folder, 'mine.txt'))).toBe(true);
});

it('refuses what is no backup, and one that was changed or lost a part', async () => {
  const folder = join(aFolder(), 'backup');
  expect(() => openBackup(folder, asItIs)).toThrow('holds no backup');
  await writeBackup(folder, { documents: someDocuments(), users: [], provider: null }, ADDRESSES);
  expect(openBackup(folder, asItIs).provider).toBeNull();
  appendFileSync(join(folder, 'firestore.jsonl'), '{}\n');
  expect(() => openBackup(folder, asItIs)).toThrow('is not what was backed up');
  rmSync(join(folder, 'auth.json'));
  expect(() => openBackup(folder, asItIs)).toThrow('is not what was backed up');
});

it('moves every address to the other suite’s, and none twice', () => {
  const up = { PROVIDER_BASE_URL: 'http://127.0.0.1:5056', RETURN_BASE_URL: 'http://127.0.0.1:6056' };
  const move = movingAddresses(ADDRESSES, up);
  expect(move('http://127.0.0.1:4242/c/pay http://127.0.0.1:5056/billing http://127.0.0.1:42420')).toBe(
    'http://127.0.0.1:5056/c/pay http://127.0.0.1:6056/billing http://127.0.0.1:42420',
  );
  expect(movingAddresses(ADDRESSES, ADDRESSES)('http://127.0.0.1:4242')).toBe('http://127.0.0.1:4242');
});

it('lets go what was held only for the backup, and signs as the suite that it goes to', () => {
  expect(released(STATE).deliveries).toEqual({
    mode: { hold: false },
    all: [{ status: 'pending' }, { status: 'delivered' }],
  });
  expect(signedWith(STATE, 'whsec_new').facts.endpointSecrets).toEqual([['we_1', 'whsec_new']]);
});

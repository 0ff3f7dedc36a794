import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { download } from './download.mjs';
import { PLAIN, sendRest, serve } from './test-server.ts';

const BYTES = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7919) % 251));
const SHA256 = createHash('sha256').update(BYTES).digest('hex');
const pieceAt = (url: string) => ({ url: `${url}/file`, name: 'file', sha256: SHA256, largest: 1_000_000 });
const options = (folder: string) => ({ network: PLAIN, folder, pause: 1 });
/** What has come of the file so far. */
const partIn = (folder: string): string => join(folder, `file.${SHA256.slice(0, 16)}.part`);

test('a file comes whole, and is not asked for again', async () => {
  const folder = temporaryFolder();
  const { url, asked } = await serve(sendRest(BYTES));
  const path = await download(pieceAt(url), options(folder));
  expect(readFileSync(path).equals(BYTES)).toBe(true);
  expect(await download(pieceAt(url), options(folder))).toBe(path);
  expect(asked).toEqual(['GET /file']);
  expect(readdirSync(folder)).toEqual(['file']);
});

test('whoever waits hears how far it is', async () => {
  const heard: number[] = [];
  const { url } = await serve((_, response) => {
    response.write(BYTES.subarray(0, 100_000));
    void vi
      .waitFor(() => expect(heard).toContain(100_000))
      .finally(() => response.end(BYTES.subarray(100_000)));
  });
  const tell = (bytes: number) => heard.push(bytes);
  await download(pieceAt(url), { ...options(temporaryFolder()), tell, tellEveryMs: 5 });
  const { length } = heard;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(heard).toHaveLength(length);
});

test('what is cut off goes on from there', async () => {
  const folder = temporaryFolder();
  let cuts = 2;
  const { url, asked } = await serve((request, response) => {
    if (cuts-- <= 0) return sendRest(BYTES)(request, response);
    const from = Number(/\d+/.exec(request.headers.range ?? '')?.[0] ?? 0);
    response.writeHead(from === 0 ? 200 : 206, {
      'content-length': BYTES.length - from,
      ...(from === 0 ? {} : { 'content-range': `bytes ${from}-${BYTES.length - 1}/${BYTES.length}` }),
    });
    response.write(BYTES.subarray(from, from + 100_000));
    const kept = () => expect(statSync(partIn(folder)).size).toBeGreaterThan(from);
    void vi.waitFor(kept, { interval: 5 }).finally(() => response.destroy());
  });
  const path = await download(pieceAt(url), options(folder));
  expect(readFileSync(path).equals(BYTES)).toBe(true);
  expect(asked).toEqual(['GET /file', 'GET /file range', 'GET /file range']);
});

test('what an ended set-up left goes on at the next start', async () => {
  const folder = temporaryFolder();
  writeFileSync(partIn(folder), BYTES.subarray(0, 299_000));
  const { url, asked } = await serve(sendRest(BYTES));
  await download(pieceAt(url), options(folder));
  expect(asked).toEqual(['GET /file range']);
});

test('a server that sends only whole files is let begin anew', async () => {
  const folder = temporaryFolder();
  writeFileSync(partIn(folder), BYTES.subarray(0, 100));
  const { url } = await serve((_, response) => response.end(BYTES));
  expect(readFileSync(await download(pieceAt(url), options(folder))).equals(BYTES)).toBe(true);
});

test('a rest that begins elsewhere than asked is not put behind what has come', async () => {
  const folder = temporaryFolder();
  writeFileSync(partIn(folder), BYTES.subarray(0, 100));
  const { url, asked } = await serve((_, response) =>
    response.writeHead(206, { 'content-range': `bytes 0-${BYTES.length - 1}/${BYTES.length}` }).end(BYTES),
  );
  expect(readFileSync(await download(pieceAt(url), options(folder))).equals(BYTES)).toBe(true);
  expect(asked).toEqual(['GET /file range']);
});

test.each([
  ['of something else', Buffer.from('x'.repeat(100))],
  ['longer than the file', Buffer.concat([BYTES, BYTES])],
])('a beginning %s is thrown away, and the file comes whole', async (_, begun) => {
  const folder = temporaryFolder();
  writeFileSync(partIn(folder), begun);
  const { url, asked } = await serve(sendRest(BYTES));
  expect(readFileSync(await download(pieceAt(url), options(folder))).equals(BYTES)).toBe(true);
  expect(asked).toEqual(['GET /file range', 'GET /file']);
});

test('a wrong checksum is refused at once, says both, and leaves nothing', async () => {
  const folder = temporaryFolder();
  const { url, asked } = await serve((_, response) => response.end('something else'));
  const other = createHash('sha256').update('something else').digest('hex');
  await expect(download(pieceAt(url), options(folder))).rejects.toThrow(
    `file is not what it should be: its SHA-256 is ${other}, not ${SHA256}`,
  );
  expect(asked).toHaveLength(1);
  expect(readdirSync(folder)).toEqual([]);
});

test('a file that was changed after it came is not taken for it', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'file'), 'changed');
  const { url } = await serve(sendRest(BYTES));
  expect(readFileSync(await download(pieceAt(url), options(folder))).equals(BYTES)).toBe(true);
});

test('what does not end is ended', async () => {
  const folder = temporaryFolder();
  const { url } = await serve((_, response) => {
    const more = (): void => void (response.destroyed || response.write(Buffer.alloc(100_000), more));
    more();
  });
  await expect(download(pieceAt(url), options(folder))).rejects.toThrow('file is larger than it should be');
  expect(existsSync(join(folder, 'file'))).toBe(false);
});

test('a server that fails for a moment is asked again, and one that says no is not', async () => {
  const answers = [503, 429];
  const busy = await serve((request, response) => {
    const status = answers.shift();
    if (status === undefined) sendRest(BYTES)(request, response);
    else response.writeHead(status).end();
  });
  await expect(download(pieceAt(busy.url), options(temporaryFolder()))).rejects.toThrow('/file answers 429');
  expect(busy.asked).toHaveLength(2);
  const missing = await serve((_, response) => response.writeHead(404).end());
  await expect(download(pieceAt(missing.url), options(temporaryFolder()))).rejects.toThrow('answers 404');
  expect(missing.asked).toHaveLength(1);
});

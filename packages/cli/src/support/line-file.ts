import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Refusal } from '../local/refusal.ts';

/** What waits to be written at most, in characters. */
const WAITING = 1 << 20;

/** A file that grows by lines, of which few are in memory, and that a later run goes on with. */
export interface LineFile {
  /** Adds a text, as it is. Callers may be many at once; each waits where the file is slower than they are. */
  add(text: string): Promise<void>;
  /** All that was added is in the file. @returns its length in bytes: where a later run goes on */
  flush(): Promise<number>;
  close(): Promise<void>;
}

/**
 * Opens a file that only its owner may read.
 *
 * @param bytes of it are kept: what a run that was killed wrote after its last save is cut off
 * @throws Refusal where it has fewer
 */
export async function openLineFile(path: string, bytes: number): Promise<LineFile> {
  const handle = bytes === 0 ? await open(path, 'w', 0o600) : await reopen(path, bytes);
  await handle.truncate(bytes);
  let at = bytes;
  let waiting: string[] = [];
  let length = 0;
  let written: Promise<void> = Promise.resolve();
  const flush = (): Promise<number> => {
    const chunk = Buffer.from(waiting.join(''));
    waiting = [];
    length = 0;
    written = written.then(async () => {
      // A disk that is nearly full takes a part, and says so by the count alone.
      for (let done = 0; done < chunk.length; ) {
        const { bytesWritten } = await handle.write(chunk, done, chunk.length - done, at);
        done += bytesWritten;
        at += bytesWritten;
      }
    });
    return written.then(() => at);
  };
  return {
    async add(text) {
      waiting.push(text);
      length += text.length;
      if (length >= WAITING) await flush();
    },
    flush,
    async close() {
      await flush();
      await handle.close();
    },
  };
}

async function reopen(path: string, bytes: number): Promise<FileHandle> {
  const handle = await open(path, 'r+').catch(() => null);
  if (handle !== null && (await handle.stat()).size >= bytes) return handle;
  await handle?.close();
  throw new Refusal(`${path} is not as the run before left it: leave --resume away.`);
}

/**
 * The lines of a file, of which few are in memory. Only a line feed ends one: JSON's texts may have the other characters
 * that readline takes for an end.
 */
export async function* readLines(path: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(path, 'utf8')) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

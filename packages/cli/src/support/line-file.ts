import { open } from 'node:fs/promises';

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
 */
export async function openLineFile(path: string, bytes: number): Promise<LineFile> {
  const handle = await open(path, bytes === 0 ? 'w' : 'r+', 0o600);
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
      await handle.write(chunk, 0, chunk.length, at);
      at += chunk.length;
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

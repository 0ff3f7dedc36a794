import { closeSync, openSync, readdirSync, readSync, watch } from 'node:fs';
import { basename, join } from 'node:path';

/** One line of one part, as it stands in the terminal: `simulator │ …`. */
export function prefixed(part: string, line: string): string {
  return `${part.padEnd(PART_WIDTH)} │ ${line}`;
}
const PART_WIDTH = 9;

/**
 * Prints what is written to every log in a folder from now on, line by line, each under its part's name; what is there
 * already comes first. Returns the function that ends it.
 */
export function followLogs(folder: string, print: (line: string) => void): () => void {
  const read = new Map<string, { offset: number; unfinished: string }>();
  const buffer = Buffer.alloc(64 * 1024);

  function readMore(file: string): void {
    if (!file.endsWith('.log')) return;
    const state = read.get(file) ?? { offset: 0, unfinished: '' };
    read.set(file, state);
    const log = openSync(join(folder, file), 'r');
    for (;;) {
      const count = readSync(log, buffer, 0, buffer.length, state.offset);
      if (count === 0) break;
      state.offset += count;
      const lines = (state.unfinished + buffer.toString('utf8', 0, count)).split('\n');
      state.unfinished = lines.pop() ?? '';
      for (const line of lines) if (line.trim() !== '') print(prefixed(basename(file, '.log'), line));
    }
    closeSync(log);
  }

  for (const file of readdirSync(folder)) readMore(file);
  const watcher = watch(folder, (_, file) => {
    if (file !== null && readdirSync(folder).includes(file)) readMore(file);
  });
  return () => watcher.close();
}

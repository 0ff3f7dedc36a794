import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';

/**
 * Keeps a state in a file. One write is on its way at a time, and one more serves everybody who asked meanwhile;
 * the file is replaced as a whole, so that a process that is killed leaves the state before or after, never half.
 */
export class StateFile {
  readonly path: string;
  private readonly snapshot: () => unknown;
  private running: Promise<void> = Promise.resolve();
  private next: Promise<void> | null = null;

  constructor(path: string, snapshot: () => unknown) {
    this.path = path;
    this.snapshot = snapshot;
  }

  /** Resolves when the file holds the state as it is now, or later. @throws what the file system says. */
  saved(): Promise<void> {
    this.next ??= this.running
      .catch(() => {})
      .then(() => {
        this.next = null;
        this.running = this.write();
        return this.running;
      });
    return this.next;
  }

  private async write(): Promise<void> {
    const partial = `${this.path}.partial`;
    await writeFile(partial, JSON.stringify(this.snapshot()), { mode: 0o600 });
    await rename(partial, this.path);
  }
}

/** What the file holds, or null when there is none yet. */
export function readStateFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

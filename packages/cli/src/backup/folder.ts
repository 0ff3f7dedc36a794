import { createHash } from 'node:crypto';
import {
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Refusal } from '../local/refusal.ts';
import { type LineFile, openLineFile, readLines } from '../support/line-file.ts';
import type { Addresses } from './addresses.ts';
import type { StoredDocument } from './documents.ts';
import type { ProviderState } from './provider-state.ts';

const DOCUMENTS = 'firestore.jsonl';
const USERS = 'auth.jsonl';
/** Of format 1: one list. */
const USERS_1 = 'auth.json';
const PROVIDER = 'simulator.json';
const MANIFEST = 'backup.json';
const PROGRESS = 'progress.json';

/** What a backup says of itself. */
export interface Manifest {
  readonly format: 1 | 2;
  readonly madeAt: string;
  readonly documents: number;
  readonly users: number;
  readonly addresses: Addresses;
  /** SHA-256 of each of its files. */
  readonly files: Readonly<Record<string, string>>;
}

/** A backup that is being made, in a folder beside its own: what is there under its name is always whole. */
export interface BackupInProgress {
  /** Where it is kept how far it is. */
  readonly progress: string;
  /** Throws away what a run before this one left. */
  begin(): void;
  writeUsers(pages: AsyncIterable<readonly object[]>): Promise<number>;
  writeProvider(state: ProviderState): void;
  /** @param bytes that a run before this one wrote and that count */
  openDocuments(bytes: number): Promise<LineFile>;
  /** Puts it in its place. */
  finish(about: Omit<Manifest, 'format' | 'files'>): Promise<Manifest>;
}

/**
 * Makes ready for a backup in a folder that is not there yet, or is empty. Only its owner may read it.
 *
 * @throws Refusal where the folder holds something
 */
export function prepareBackup(path: string): BackupInProgress {
  const folder = resolve(path);
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new Refusal(`${path} is there already and is not empty: name another folder.`);
  }
  const partial = `${folder}.partial`;
  return {
    progress: join(partial, PROGRESS),
    begin() {
      rmSync(partial, { recursive: true, force: true });
      mkdirSync(dirname(folder), { recursive: true });
      mkdirSync(partial, { mode: 0o700 });
    },
    async writeUsers(pages) {
      const file = await openLineFile(join(partial, USERS), 0);
      let users = 0;
      for await (const page of pages) {
        users += page.length;
        for (const user of page) await file.add(`${JSON.stringify(user)}\n`);
      }
      await file.close();
      return users;
    },
    writeProvider(state) {
      writeFileSync(join(partial, PROVIDER), JSON.stringify(state), { mode: 0o600 });
    },
    openDocuments: (bytes) => openLineFile(join(partial, DOCUMENTS), bytes),
    async finish(about) {
      const files: Record<string, string> = {};
      for (const name of [DOCUMENTS, USERS, PROVIDER]) {
        if (existsSync(join(partial, name))) files[name] = await digest(join(partial, name));
      }
      const manifest: Manifest = { format: 2, ...about, files };
      writeFileSync(join(partial, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
      rmSync(join(partial, PROGRESS), { force: true });
      rmSync(folder, { recursive: true, force: true });
      renameSync(partial, folder);
      return manifest;
    },
  };
}

export interface OpenedBackup {
  readonly manifest: Manifest;
  /** @param after so many of them */
  documents(after: number): AsyncIterable<StoredDocument>;
  users(): AsyncIterable<object>;
  /** Null where the provider is not the simulator. */
  readonly provider: ProviderState | null;
}

/**
 * Opens a backup after it has checked all of it: its digests, and that each line can be read.
 *
 * @param move how its texts read here
 * @throws Refusal where it is none, or is damaged
 */
export async function openBackup(
  path: string,
  move: (manifest: Manifest) => (text: string) => string,
): Promise<OpenedBackup> {
  const manifest = readManifest(path);
  for (const [name, expected] of Object.entries(manifest.files)) {
    const file = join(path, name);
    if (!existsSync(file) || (await digest(file)) !== expected) {
      throw new Refusal(`${file} is not what was backed up: nothing was restored.`);
    }
  }
  const moved = move(manifest);
  const parse = (name: string, line: number, text: string): unknown => {
    try {
      return JSON.parse(moved(text));
    } catch {
      throw new Refusal(`${join(path, name)} is not JSON (line ${line}): nothing was restored.`);
    }
  };
  const read = (name: string): unknown => parse(name, 1, readFileSync(join(path, name), 'utf8'));
  async function* lines(name: string, after: number): AsyncGenerator<unknown> {
    let left = after;
    let at = 0;
    for await (const line of readLines(join(path, name))) {
      at += 1;
      if (line === '') continue;
      if (left > 0) left -= 1;
      else yield parse(name, at, line);
    }
  }
  async function* list(): AsyncGenerator<object> {
    yield* read(USERS_1) as readonly object[];
  }
  const users = (): AsyncIterable<object> =>
    manifest.format === 1 ? list() : (lines(USERS, 0) as AsyncGenerator<object>);
  // Before the caller removes anything.
  for await (const _ of lines(DOCUMENTS, 0));
  for await (const _ of users());
  return {
    manifest,
    documents: (after) => lines(DOCUMENTS, after) as AsyncGenerator<StoredDocument>,
    users,
    provider: PROVIDER in manifest.files ? (read(PROVIDER) as ProviderState) : null,
  };
}

function readManifest(path: string): Manifest {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(path, MANIFEST), 'utf8'));
    const format =
      typeof manifest === 'object' && manifest !== null && 'format' in manifest && manifest.format;
    if (format === 1 || format === 2) return manifest as Manifest;
  } catch {
    // Said below.
  }
  throw new Refusal(
    `${path} holds no backup of a format that is known here: name a folder that "npm run backup" made.`,
  );
}

async function digest(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

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
import { openLineFile, readLines } from '../support/line-file.ts';
import type { Addresses } from './addresses.ts';
import type { StoredDocument } from './documents.ts';
import type { ProviderState } from './provider-state.ts';

const DOCUMENTS = 'firestore.jsonl';
const USERS = 'auth.jsonl';
const PROVIDER = 'simulator.json';
const MANIFEST = 'backup.json';

/** What a backup says of itself. */
export interface Manifest {
  readonly format: 2;
  readonly madeAt: string;
  readonly documents: number;
  readonly users: number;
  readonly addresses: Addresses;
  /** SHA-256 of each of its files. */
  readonly files: Readonly<Record<string, string>>;
}

/** A backup that is being made, in a folder beside its own: what is there under its name is always whole. */
export interface BackupInProgress {
  /** @returns how many there were */
  writeUsers(users: AsyncIterable<object>): Promise<number>;
  writeDocuments(documents: AsyncIterable<object>): Promise<number>;
  writeProvider(state: ProviderState): void;
  /** Puts it in its place. */
  finish(about: Omit<Manifest, 'format' | 'files'>): Promise<Manifest>;
}

/**
 * Begins a backup in a folder that is not there yet, or is empty. Only its owner may read it. What a run that was killed
 * left is thrown away.
 *
 * @throws Refusal if the folder holds something
 */
export function beginBackup(path: string): BackupInProgress {
  const folder = resolve(path);
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new Refusal(`${path} is there already and is not empty: name another folder.`);
  }
  const partial = `${folder}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(dirname(folder), { recursive: true });
  mkdirSync(partial, { mode: 0o700 });
  const writeLines = async (name: string, values: AsyncIterable<object>): Promise<number> => {
    const file = await openLineFile(join(partial, name), 0);
    let lines = 0;
    for await (const value of values) {
      await file.add(`${JSON.stringify(value)}\n`);
      lines += 1;
    }
    await file.close();
    return lines;
  };
  return {
    writeUsers: (users) => writeLines(USERS, users),
    writeDocuments: (documents) => writeLines(DOCUMENTS, documents),
    writeProvider(state) {
      writeFileSync(join(partial, PROVIDER), JSON.stringify(state), { mode: 0o600 });
    },
    async finish(about) {
      const files: Record<string, string> = {};
      for (const name of [DOCUMENTS, USERS, PROVIDER]) {
        if (existsSync(join(partial, name))) files[name] = await digest(join(partial, name));
      }
      const manifest: Manifest = { format: 2, ...about, files };
      writeFileSync(join(partial, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
      rmSync(folder, { recursive: true, force: true });
      renameSync(partial, folder);
      return manifest;
    },
  };
}

export interface OpenedBackup {
  readonly manifest: Manifest;
  documents(): AsyncIterable<StoredDocument>;
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
  async function* lines(name: string): AsyncGenerator<unknown> {
    let at = 0;
    for await (const line of readLines(join(path, name))) {
      at += 1;
      if (line !== '') yield parse(name, at, line);
    }
  }
  // Before the caller removes anything.
  for await (const _ of lines(DOCUMENTS));
  for await (const _ of lines(USERS));
  return {
    manifest,
    documents: () => lines(DOCUMENTS) as AsyncGenerator<StoredDocument>,
    users: () => lines(USERS) as AsyncGenerator<object>,
    provider:
      PROVIDER in manifest.files
        ? (parse(PROVIDER, 1, readFileSync(join(path, PROVIDER), 'utf8')) as ProviderState)
        : null,
  };
}

function readManifest(path: string): Manifest {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(path, MANIFEST), 'utf8'));
    const format =
      typeof manifest === 'object' && manifest !== null && 'format' in manifest && manifest.format;
    if (format === 2) return manifest as Manifest;
  } catch {
    // Said below.
  }
  throw new Refusal(
    `${path} holds no backup of a format that is known here: name a folder that "npx billing backup" made.`,
  );
}

async function digest(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

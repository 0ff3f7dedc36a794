import { createHash } from 'node:crypto';
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { CannotConnect } from '../support/connect.ts';
import type { StoredDocument } from './emulators.ts';
import type { ProviderState } from './provider-state.ts';

const DOCUMENTS = 'firestore.jsonl';
const USERS = 'auth.json';
const PROVIDER = 'simulator.json';

/** What a backup says of itself. */
export interface Manifest {
  readonly format: 1;
  readonly madeAt: string;
  readonly documents: number;
  readonly users: number;
  readonly addresses: Addresses;
  /** SHA-256 of each of its files. */
  readonly files: Readonly<Record<string, string>>;
}

interface Contents {
  readonly documents: AsyncIterable<StoredDocument>;
  readonly users: readonly object[];
  /** Null where the provider is not the simulator. */
  readonly provider: ProviderState | null;
}

/**
 * Writes a backup into a folder that is not there yet, or is empty: into one beside it first, so that what is there
 * is always whole. Only its owner may read it.
 *
 * @throws CannotConnect where the folder holds something
 */
export async function writeBackup(path: string, contents: Contents, addresses: Addresses): Promise<Manifest> {
  const folder = resolve(path);
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new CannotConnect(`${path} is there already and is not empty: name another folder.`);
  }
  const partial = `${folder}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(dirname(folder), { recursive: true });
  mkdirSync(partial, { mode: 0o700 });
  let documents = 0;
  async function* lines(): AsyncGenerator<string> {
    for await (const document of contents.documents) {
      documents += 1;
      yield `${JSON.stringify(document)}\n`;
    }
  }
  await pipeline(lines, createWriteStream(join(partial, DOCUMENTS)));
  writeFileSync(join(partial, USERS), JSON.stringify(contents.users));
  if (contents.provider !== null) writeFileSync(join(partial, PROVIDER), JSON.stringify(contents.provider));
  const files = Object.fromEntries(readdirSync(partial).map((name) => [name, digest(join(partial, name))]));
  const users = contents.users.length;
  const manifest: Manifest = {
    format: 1,
    madeAt: new Date().toISOString(),
    documents,
    users,
    addresses,
    files,
  };
  writeFileSync(join(partial, 'backup.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  rmSync(folder, { recursive: true, force: true });
  renameSync(partial, folder);
  return manifest;
}

/**
 * Opens a backup, having looked that it is whole.
 *
 * @param move how its texts read here
 * @throws CannotConnect where it is none, or is damaged
 */
export function openBackup(
  path: string,
  move: (manifest: Manifest) => (text: string) => string,
): { readonly manifest: Manifest } & Contents {
  const manifest = readManifest(path);
  for (const [name, expected] of Object.entries(manifest.files)) {
    const file = join(path, name);
    if (!existsSync(file) || digest(file) !== expected) {
      throw new CannotConnect(`${file} is not what was backed up: nothing was restored.`);
    }
  }
  const moved = move(manifest);
  const read = (name: string): unknown => JSON.parse(moved(readFileSync(join(path, name), 'utf8')));
  async function* documents(): AsyncGenerator<StoredDocument> {
    for await (const line of createInterface({ input: createReadStream(join(path, DOCUMENTS)) })) {
      if (line !== '') yield JSON.parse(moved(line)) as StoredDocument;
    }
  }
  return {
    manifest,
    documents: documents(),
    users: read(USERS) as readonly object[],
    provider: PROVIDER in manifest.files ? (read(PROVIDER) as ProviderState) : null,
  };
}

function readManifest(path: string): Manifest {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(path, 'backup.json'), 'utf8'));
    if (typeof manifest === 'object' && manifest !== null && 'format' in manifest && manifest.format === 1) {
      return manifest as Manifest;
    }
  } catch {
    // Said below.
  }
  throw new CannotConnect(
    `${path} holds no backup of this format: name a folder that "npm run backup" made.`,
  );
}

function digest(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

/** Where a suite is reached; every address that may stand in its data. */
export type Addresses = Readonly<Record<string, string>>;

const NAMES = ['BILLING_BASE_URL', 'BILLING_DIRECT_URL', 'PROVIDER_BASE_URL', 'RETURN_BASE_URL'];

/** The addresses among a suite's variables. */
export function addressesOf(variables: Readonly<Record<string, string | undefined>>): Addresses {
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const address = variables[name];
      return address === undefined ? [] : [[name, address]];
    }),
  );
}

/**
 * Answers how a text of one suite reads in another, on other ports: each address of the one becomes the same of the
 * other, all at once, so that one that takes another's place is not moved twice.
 */
export function movingAddresses(from: Addresses, to: Addresses): (text: string) => string {
  const moved = new Map(
    Object.entries(from).flatMap(([name, old]) => {
      const address = to[name];
      return address === undefined || address === old ? [] : [[old, address]];
    }),
  );
  if (moved.size === 0) return (text) => text;
  const longestFirst = [...moved.keys()].sort((a, b) => b.length - a.length);
  const any = new RegExp(`(?:${longestFirst.map(literally).join('|')})(?!\\d)`, 'g');
  return (text) => text.replaceAll(any, (old) => moved.get(old) ?? old);
}

function literally(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

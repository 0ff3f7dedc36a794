import type { Catalog } from '@extension-billing/contract/catalog';
import type { Firestore } from 'firebase-admin/firestore';
import { checkCatalog as checkPrices } from '../doctor/check-account.ts';
import { catalog as file } from '../local/catalog.ts';
import { confirm } from '../support/confirm.ts';
import { connect, connectBooks } from '../support/connect.ts';
import { describeTime, formatTable } from '../support/describe.ts';
import { type CountedBuyers, countBuyers } from './buyers.ts';
import { type Change, compareCatalogs, consequences, contradictions, describeChange } from './diff.ts';
import { bringBack, listVersions, publish, readInForce, readVersion } from './publish.ts';

/** What a command needs beside its arguments. */
export interface Desk {
  readonly firestore: Firestore;
  /** How many have what: of many, of some. */
  readonly buyers: () => Promise<CountedBuyers>;
  readonly print: (text: string) => void;
  /** Asks whoever sits there; false also where nobody does. */
  readonly confirm: (question: string) => Promise<boolean>;
}

export interface PushOptions {
  readonly dryRun: boolean;
  readonly yes: boolean;
  /** Go on where a change contradicts what is sold or installed. */
  readonly anyway: boolean;
  readonly note: string | null;
}

/** Firestore takes a megabyte, and each page of each client reads all of it. */
const LARGEST = 200_000;

/**
 * Publishes the catalogue of the file, after it has shown what changes and for whom.
 *
 * @param problems what the provider's prices lack for it
 * @returns the exit status
 */
export async function pushCatalog(
  { firestore, buyers, print, confirm }: Desk,
  catalog: Catalog,
  problems: readonly string[],
  { dryRun, yes, anyway, note }: PushOptions,
): Promise<number> {
  const seen = await readInForce(firestore);
  const { published } = seen;
  const changes = published === null ? [] : compareCatalogs(published.catalog, catalog);
  if (published !== null && changes.length === 0) {
    print(`Nothing to publish: version ${published.version}, which is in force, says the same.`);
    return 0;
  }
  const size = Buffer.byteLength(JSON.stringify(catalog));
  if (size > LARGEST) {
    print(`Not published: the catalogue has ${size} bytes, and ${LARGEST} are the most.`);
    return 1;
  }
  await show({ buyers, print }, published?.version ?? null, changes, catalog);
  const against = published === null ? [] : contradictions(published.catalog, catalog);
  for (const each of [...problems, ...(anyway ? [] : against)]) print(`✗ ${each}`);
  if (problems.length > 0) {
    print(
      '\nNot published: "billing setup" brings the prices to the file; --no-provider goes on without a look.',
    );
    return 1;
  }
  if (against.length > 0 && !anyway) {
    print('\nNot published. Correct the file, or go on all the same with --anyway.');
    return 1;
  }
  if (dryRun) {
    print('\nNothing was published (--dry-run).');
    return 0;
  }
  if (!yes && !(await confirm(`\nPublish this as version ${seen.newest + 1}?`))) {
    print('Nothing was published.');
    return 1;
  }
  const version = await publish(firestore, catalog, seen, note);
  print(`Version ${version} is published, and in force everywhere within a minute.`);
  return 0;
}

async function show(
  { buyers: count, print }: Pick<Desk, 'buyers' | 'print'>,
  version: number | null,
  changes: readonly Change[],
  catalog: Catalog,
): Promise<void> {
  if (version === null) {
    print('Nothing is published yet: what was built into each function and extension is in force.');
    return;
  }
  print(`Version ${version} is in force. What changes:\n`);
  for (const change of changes) print(describeChange(change));
  const { buyers, looked, all } = await count();
  const sentences = consequences(changes, catalog, buyers);
  if (sentences.length > 0) {
    print(`\nWho is affected${all ? '' : `, of the first ${looked} records`}:\n`);
    for (const sentence of sentences) print(sentence);
  }
}

/** Puts an earlier version in force again: the named one, or the one that the version in force replaced. */
export async function rollBackCatalog(
  { firestore, buyers, print, confirm }: Desk,
  wanted: number | null,
  { dryRun, yes }: Pick<PushOptions, 'dryRun' | 'yes'>,
): Promise<number> {
  const seen = await readInForce(firestore);
  const { published } = seen;
  if (published === null) {
    print('Nothing is published, so there is nothing to go back from.');
    return 1;
  }
  const version = wanted ?? seen.before;
  if (version === null) {
    print(`Version ${published.version} replaced no other. "billing catalog list" names all of them.`);
    return 1;
  }
  const back = await readVersion(firestore, version);
  if (back === null) {
    print(`There is no version ${version}. "billing catalog list" names all of them.`);
    return 1;
  }
  const changes = compareCatalogs(published.catalog, back.catalog);
  if (back.version === published.version) {
    print(`Version ${back.version} is in force already.`);
    return 0;
  }
  await show({ buyers, print }, published.version, changes, back.catalog);
  // Going back is how a mistake is undone: what it contradicts is said, and stops nothing.
  for (const each of contradictions(published.catalog, back.catalog)) print(`! ${each}`);
  if (dryRun) {
    print('\nNothing was changed (--dry-run).');
    return 0;
  }
  if (!yes && !(await confirm(`\nPut version ${back.version} in force again?`))) {
    print('Nothing was changed.');
    return 1;
  }
  await bringBack(firestore, back, seen);
  print(`Version ${back.version} is in force again, everywhere within a minute.`);
  return 0;
}

/** Every version, the newest first, and which is in force. */
export async function listCatalogs({ firestore, print }: Pick<Desk, 'firestore' | 'print'>): Promise<number> {
  const [{ published }, versions] = await Promise.all([readInForce(firestore), listVersions(firestore)]);
  if (versions.length === 0) {
    print('Nothing is published yet: what was built into each function and extension is in force.');
    return 0;
  }
  const rows = versions.map(({ version, publishedAt, note }) => [
    String(version),
    describeTime(publishedAt),
    published?.version === version ? 'in force' : '',
    note,
  ]);
  print(formatTable(['version', 'published', '', 'note'], rows));
  const open = published === null ? [] : compareCatalogs(published.catalog, file);
  print(
    open.length === 0
      ? '\nThe file (billing.config.ts) says the same as the version in force.'
      : `\nThe file (billing.config.ts) differs from the version in force in ${open.length} places: "billing catalog push --dry-run" shows them.`,
  );
  return 0;
}

/** `billing catalog push` */
export async function push(
  options: PushOptions & { readonly provider: boolean; readonly project: string | undefined },
): Promise<number> {
  if (!options.provider) {
    const { name, firestore } = await connectBooks(options.project, process.env);
    return pushCatalog(deskAt(name, firestore), file, [], options);
  }
  const { name, deps } = await connect(options.project, process.env);
  const findings = await checkPrices(await deps.stripe(), file);
  const problems = findings.flatMap((each) => (each.ok ? [] : [`${each.about}. ${each.todo}`]));
  for (const each of findings)
    if (each.ok && each.note !== undefined) console.log(`! ${each.about}. ${each.note}`);
  return pushCatalog(deskAt(name, deps.firestore), file, problems, options);
}

/** `billing catalog rollback` */
export async function rollBack(
  version: number | null,
  options: Pick<PushOptions, 'dryRun' | 'yes'> & { readonly project: string | undefined },
): Promise<number> {
  const { name, firestore } = await connectBooks(options.project, process.env);
  return rollBackCatalog(deskAt(name, firestore), version, options);
}

/** `billing catalog list` */
export async function list(project: string | undefined): Promise<number> {
  const { name, firestore } = await connectBooks(project, process.env);
  return listCatalogs(deskAt(name, firestore));
}

function deskAt(where: string, firestore: Firestore): Desk {
  const print = (text: string): void => console.log(text);
  print(`${where}\n`);
  return { firestore, buyers: () => countBuyers(firestore, Date.now()), print, confirm };
}

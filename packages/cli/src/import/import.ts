import { readFileSync } from 'node:fs';
import { billingState, type Millis } from '@extension-billing/contract/customer';
import type { CustomerRecord } from '@extension-billing/contract/record';
import { paths } from '../../../../functions/src/store/documents.ts';
import { sealOf } from '../../../../functions/src/stripe/seal.ts';
import { Refusal } from '../local/refusal.ts';
import { type Connection, connect, type SupportDeps } from '../support/connect.ts';
import { describeTime, formatTable } from '../support/describe.ts';
import { SignInTaken, takeOver } from './apply.ts';
import { withoutContested } from './contested.ts';
import { type Decision, decide, type Rules, type Seen } from './decide.ts';
import { gatherExtensionPay, peopleOf, readUsers } from './extensionpay.ts';
import { gatherFirebaseExtension } from './firestore-stripe-payments.ts';
import { look } from './look.ts';
import type { Chosen } from './mapping.ts';
import type { Person, Source } from './person.ts';
import { predict } from './predict.ts';
import { findTaken, giveBack, type Taken } from './undo.ts';

/** What is asked for, whichever the source. */
export interface Asked {
  readonly source: Source;
  readonly chosen: Chosen;
  /** One person, by uid or mail; null for all. */
  readonly only: string | null;
  readonly trustsMail: boolean;
  /** Goes on with the rest of somebody of whom not everything can be brought. */
  readonly anyway: boolean;
  readonly apply: boolean;
  readonly project: string | undefined;
}

/** Where a source's people come from. */
export type From =
  | { readonly kind: 'extensionpay'; readonly file: string | null; readonly trial: Millis | null }
  | { readonly kind: 'firestore-stripe-payments'; readonly collection: string };

/** One person with what will become of them. */
export interface Found {
  readonly person: Person;
  readonly seen: Seen;
  readonly decision: Decision;
  readonly will: CustomerRecord;
  /** Why nothing is done for them until somebody decides. */
  readonly problems: readonly string[];
  readonly isToDo: boolean;
  /** The same person, looked at again. */
  readonly again: () => Promise<Found | null>;
}

/**
 * Takes the users of another service over, or says what each of them will have. @returns 0 where all of them have what
 * they have there, 1 where somebody has to decide something
 */
export async function importPeople(asked: Asked, from: From): Promise<number> {
  const connection = await connect(asked.project, process.env);
  console.log(
    `${asked.apply ? 'Importing' : 'Looking (nothing is written)'}: ${asked.source}, into ${connection.name}\n`,
  );
  const found = await findPeople(connection.deps, asked, from);
  printPeople(found);
  const open = found.filter(({ problems }) => problems.length > 0);
  if (asked.apply) await noteSource(connection.deps, asked.source);
  const done = asked.apply ? await applyAll(connection, asked, found) : null;
  console.log(summary(found, done, asked));
  return open.length > 0 || (done?.left ?? 0) > 0 ? 1 : 0;
}

/** Everybody of whom there is something to say: what they have there, and what they will have. Reads only. */
export async function findPeople(deps: SupportDeps, asked: Asked, from: From): Promise<readonly Found[]> {
  const found: Found[] = [];
  for await (const person of gather(deps, from)) {
    if (asked.only !== null && ![person.name, person.uid, person.mail].includes(asked.only)) continue;
    const each = await judge(deps, asked, person);
    if (each !== null) found.push(each);
  }
  return withoutContested(found);
}

/** What becomes of one person; null where there is nothing to bring and nothing to say. Reads only. */
export async function judge(
  deps: SupportDeps,
  asked: Pick<Asked, 'source' | 'chosen' | 'trustsMail'>,
  person: Person,
): Promise<Found | null> {
  const { source, chosen, trustsMail } = asked;
  const { project } = deps.config;
  const { seal } = sealOf(deps.config);
  const rules: Rules = {
    source,
    chosen,
    trustsMail,
    project,
    seal,
    catalog: deps.catalog(),
    now: deps.now(),
  };
  const seen = await look(deps, person);
  const decision = decide(person, seen, rules);
  const { tags, links, gifts, brings, marksTrial } = decision;
  if (!brings && !marksTrial && decision.problems.length === 0) return null;
  const { record: will, isBehind } = await predict(asShared(deps, source), seen, decision);
  const loses =
    decision.isPaidThere && !will.paid ? ['it is paid there, and would not be here: look at it'] : [];
  const problems = decision.problems.length > 0 ? decision.problems : loses;
  const isToDo = tags.length + links.length + gifts.length > 0 || marksTrial || (brings && isBehind);
  return { person, seen, decision, will, problems, isToDo, again: () => judge(deps, asked, person) };
}

/** Its rules let users write checkout sessions, whose metadata Stripe copies onto what they buy. */
function letsUsersWrite(source: Source): boolean {
  return source === 'firestore-stripe-payments';
}

/** From then on the service goes by seals and by prices' own lookup keys: within a minute, on all instances. */
export async function noteSource(
  { firestore }: Pick<SupportDeps, 'firestore'>,
  source: Source,
): Promise<void> {
  if (letsUsersWrite(source)) await paths.account(firestore).set({ isShared: true }, { merge: true });
}

/** As the service reads Stripe's objects once it knows that users may have written their metadata. */
function asShared(deps: SupportDeps, source: Source): SupportDeps {
  return letsUsersWrite(source) ? { ...deps, sharesAccount: () => true } : deps;
}

/** Everybody whom the source knows. */
export async function* gather(deps: SupportDeps, from: From): AsyncIterable<Person> {
  switch (from.kind) {
    case 'extensionpay': {
      const users = from.file === null ? [] : readUsers(readText(from.file));
      yield* await gatherExtensionPay(
        await deps.stripe(),
        peopleOf(users, { trial: from.trial, now: deps.now() }),
      );
      return;
    }
    case 'firestore-stripe-payments':
      yield* gatherFirebaseExtension(deps.firestore, from.collection);
      return;
    default:
      from satisfies never;
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new Refusal(`${file} cannot be read.`);
  }
}

/** Whether something is done for them in this run. */
function isMeant({ problems, isToDo, decision }: Found, anyway: boolean): boolean {
  return isToDo && !decision.isBlocked && (problems.length === 0 || anyway);
}

interface Done {
  readonly applied: number;
  /** People of whom something is left. */
  readonly left: number;
}

/** Takes everybody over who can be. One who fails does not stop the rest. */
export async function applyAll(
  { deps }: Pick<Connection, 'deps'>,
  { source, anyway }: Pick<Asked, 'source' | 'anyway'>,
  found: readonly Found[],
): Promise<Done> {
  let [applied, left] = [0, 0];
  const shared = asShared(deps, source);
  for (const each of found.filter((found) => isMeant(found, anyway))) {
    const lines = await takeOne(shared, source, each, anyway).catch((error: unknown) => [
      error instanceof Error ? error.message : 'it failed',
    ]);
    for (const line of lines) console.log(`${each.person.name}: ${line}`);
    if (lines.length === 0) applied += 1;
    else left += 1;
  }
  return { applied, left };
}

/** Takes one person over. If another import made their sign-in meanwhile, the two bring the same to the same account. */
async function takeOne(
  deps: SupportDeps,
  source: Source,
  { person, seen, decision, again }: Found,
  anyway: boolean,
): Promise<readonly string[]> {
  try {
    return await takeOver(deps, source, person, seen, decision);
  } catch (error) {
    if (!(error instanceof SignInTaken)) throw error;
    const found = await again();
    if (found === null || !found.isToDo) return found?.problems ?? [];
    if (!isMeant(found, anyway)) return found.problems;
    return takeOver(deps, source, person, found.seen, found.decision);
  }
}

function printPeople(found: readonly Found[]): void {
  const rows = found.map(({ person, decision, will, problems, isToDo }) => [
    person.name,
    decision.there.join('; ') || 'nothing that is in force',
    describeRights(will),
    problems.length > 0 ? 'needs you' : isToDo ? 'to be brought' : 'is here',
  ]);
  if (rows.length > 0) console.log(`${formatTable(['who', 'has there', 'will have here', ''], rows)}\n`);
  const lines = found.flatMap(({ person, decision, problems }) =>
    [...problems, ...decision.notes].map((line) => `${person.name}: ${line}`),
  );
  if (lines.length > 0) console.log(`${lines.join('\n')}\n`);
}

function describeRights(record: CustomerRecord): string {
  const { paid, plan, entitledUntil, entitlements = [], creditsRemaining } = record;
  if (!paid)
    return record.status === null ? 'nothing that is paid' : `nothing that is paid (${record.status})`;
  const until = typeof entitledUntil === 'number' ? [`until ${describeTime(entitledUntil)}`] : [];
  const credits = creditsRemaining === undefined ? [] : [`${creditsRemaining} credits`];
  const what = plan ?? 'paid, without a plan';
  return [what, billingState(record), ...entitlements, ...credits, ...until].join(', ');
}

function summary(found: readonly Found[], done: Done | null, { anyway }: Asked): string {
  const open = found.filter(({ problems }) => problems.length > 0).length;
  const todo = found.filter((each) => isMeant(each, anyway)).length;
  const counts = `${found.length} people have something there; ${open} of them need you.`;
  if (done !== null) return `${counts} ${done.applied} were brought, of ${done.left} something is left.`;
  return todo === 0 ? `${counts} Nothing is to be brought.` : `${counts} ${todo} are to be brought: --apply`;
}

/** Takes an import back, or says what that would be. @returns 0 where it is done, or would be */
export async function undoImport(
  source: Source,
  { apply, only, project }: Pick<Asked, 'apply' | 'only' | 'project'>,
): Promise<number> {
  const { deps, name } = await connect(project, process.env);
  console.log(`${apply ? 'Undoing the import' : 'Looking (nothing is written)'}: ${source}, in ${name}\n`);
  const taken = (await findTaken(deps, source)).filter(({ uid }) => only === null || uid === only);
  if (taken.length > 0) console.log(`${formatTable(['user', 'loses here'], taken.map(describeTaken))}\n`);
  if (apply) for (const each of taken) await giveBack(deps, source, each);
  console.log(
    apply
      ? `The import of ${taken.length} users is undone. Nothing was cancelled at Stripe.`
      : `${taken.length} users were imported. To undo it: --apply`,
  );
  return 0;
}

function describeTaken({ uid, subscriptions, charges, gifts }: Taken): readonly string[] {
  const what = [...subscriptions.map(({ id }) => id), ...charges.map(({ id }) => id), ...gifts];
  return [uid, what.join(', ') || 'nothing more'];
}

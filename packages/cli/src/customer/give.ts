import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';
import { describeAccount } from '../../../../functions/src/account/read.ts';
import { ConfigError, type GrantLimits, readGrantLimits } from '../../../../functions/src/config.ts';
import {
  type AskedGrant,
  grantByHand,
  type Handled,
  revokeGrant,
} from '../../../../functions/src/events/grants.ts';
import { shownRecord } from '../../../../functions/src/free/budget.ts';
import { paths, readCustomer, type Uid } from '../../../../functions/src/store/documents.ts';
import { readParameters } from '../local/parameters.ts';
import { Refusal } from '../local/refusal.ts';
import { ROOT } from '../local/suite.ts';
import { confirm } from '../support/confirm.ts';
import type { Connection } from '../support/connect.ts';
import { describeTime } from '../support/describe.ts';

/** What is to be given; `actor` is null where nobody said who they are. */
export type Giving = Omit<AskedGrant, 'key' | 'actor'> & {
  readonly actor: string | null;
  /** It is asked about first where it is not. */
  readonly mayBeLarge: boolean;
};

export interface Revoking {
  readonly grant: string;
  readonly reason: string;
  readonly actor: string | null;
}

/** Gives a user something by hand, and prints what the account has afterwards. @returns the exit status */
export async function give(
  connection: Connection,
  uid: Uid,
  { mayBeLarge, ...asked }: Giving,
  project: string | undefined,
): Promise<number> {
  const limits = limitsOf(project);
  const actor = await actorOf(asked.actor, project);
  if (!mayBeLarge && !(await confirm(`Give ${asked.credits} credits to ${uid}, in ${connection.name}?`)))
    return 1;
  const handled = await grantByHand(connection.deps, uid, { ...asked, actor, key: randomUUID() }, limits);
  return tell(connection, uid, handled, (grant) => [
    `granted as ${grant}, by ${actor}`,
    `to take it back: npx billing customer revoke ${uid} ${grant} --reason "…"`,
  ]);
}

/** Takes a grant back, and prints what the account has afterwards. @returns the exit status */
export async function takeBack(
  connection: Connection,
  uid: Uid,
  asked: Revoking,
  project: string | undefined,
): Promise<number> {
  const actor = await actorOf(asked.actor, project);
  const handled = await revokeGrant(connection.deps, uid, { ...asked, actor });
  return tell(connection, uid, handled, (grant, replayed) => [
    replayed ? `${grant} was revoked before` : `revoked ${grant}, by ${actor}`,
  ]);
}

async function tell(
  { deps, name }: Connection,
  uid: Uid,
  handled: Handled,
  done: (grant: string, replayed: boolean) => readonly string[],
): Promise<number> {
  if (handled.kind === 'refused') {
    console.error(`${handled.detail} (${handled.code})\nNothing was changed, in ${name}.`);
    return 1;
  }
  const stored = readCustomer(await paths.customer(deps.firestore, uid).get());
  const record = shownRecord(stored, deps.catalog(), deps.now());
  const { paid, plan, entitlements, balance, allowance } = describeAccount(uid, record, deps.now());
  const until = record?.entitledUntil ?? null;
  const rights = paid
    ? [
        plan ?? 'paid, without a plan',
        ...entitlements,
        ...(until === null ? [] : [`until ${describeTime(until)}`]),
      ]
    : ['nothing is paid'];
  const credits =
    balance === null ? 'credits are not in use' : `${balance} credits, ${allowance} of them allowance`;
  console.log(
    [
      `${uid}, in ${name}`,
      ...done(handled.grant, handled.replayed),
      `has now: ${rights.join(', ')}; ${credits}`,
    ].join('\n'),
  );
  return 0;
}

/** By the function's own settings, so that a terminal is bound as a backend is. @throws Refusal */
function limitsOf(project: string | undefined): GrantLimits {
  try {
    const deployed = project === undefined ? {} : readParameters(ROOT, project);
    return readGrantLimits({ ...deployed, ...process.env });
  } catch (error) {
    throw error instanceof ConfigError ? new Refusal(error.problems.join('\n')) : error;
  }
}

const GCLOUD_ANSWERS_WITHIN_MS = 10_000;

/** Who gives: as they say, as gcloud knows them where it is about a project, or by their name on this machine. */
async function actorOf(named: string | null, project: string | undefined): Promise<string> {
  const known = named ?? (project === undefined ? null : await gcloudAccount());
  return `person:${known ?? userInfo().username}`;
}

async function gcloudAccount(): Promise<string | null> {
  try {
    const args = ['config', 'get-value', 'account'];
    const { stdout } = await promisify(execFile)('gcloud', args, { timeout: GCLOUD_ANSWERS_WITHIN_MS });
    const account = stdout.trim();
    return account.includes('@') ? account : null;
  } catch {
    // It is not installed, or nobody is signed in there.
    return null;
  }
}

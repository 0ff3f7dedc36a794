import type { AuditRecord } from '@extension-billing/contract/audit';
import type { ClaimedRights } from '@extension-billing/contract/customer';
import type { AnyEntry, LedgerEntry } from '@extension-billing/contract/ledger';
import type { CustomerRecord } from '@extension-billing/contract/record';
import { checkUser } from '../../../../functions/src/reconcile/user.ts';
import type { Uid } from '../../../../functions/src/store/documents.ts';
import type { ProviderView } from '../../../../functions/src/stripe/view.ts';
import { type Connection, connect } from '../support/connect.ts';
import {
  DIFFERENCE_HEADING,
  describeDifference,
  describeFacts,
  describeGrant,
  describeRequest,
  describeTime,
  formatTable,
} from '../support/describe.ts';
import { startProgress } from '../support/progress.ts';
import { howToGoOn, STOPPED, untilStopped } from '../support/resume.ts';
import { exportUser } from './export.ts';
import { type Giving, give, type Revoking, takeBack } from './give.ts';
import { eraseUser, findUser, readLedger } from './user.ts';

/** The newest entries shown; the sum is always that of all. */
const ENTRIES = 20;

/** What is asked of one user, named by uid or mail. */
type Asked = { readonly who: string; readonly project: string | undefined } & (
  | { readonly verb: 'show' }
  | { readonly verb: 'export'; readonly file: string; readonly resume: boolean }
  | { readonly verb: 'erase'; readonly apply: boolean }
  | { readonly verb: 'grant'; readonly asked: Giving }
  | { readonly verb: 'revoke'; readonly asked: Revoking }
);

/** Shows, exports or erases a user, or gives and takes back by hand. @returns 0 when all is well, 1 when something does not agree or nobody was found. */
export async function customer(asked: Asked): Promise<number> {
  const connection = await connect(asked.project, process.env);
  const found = await findUser(connection.deps, asked.who);
  if (found.kind === 'nobody') {
    console.error(`${found.why}\nLooked in ${connection.name}.`);
    return 1;
  }
  const { uid } = found;
  switch (asked.verb) {
    case 'show':
      return show(connection, uid);
    case 'export':
      return exportInto(connection, uid, asked);
    case 'erase':
      console.log(`${uid}, in ${connection.name}`);
      console.log((await eraseUser(connection.deps, uid, asked.apply)).join('\n'));
      return 0;
    case 'grant':
      return give(connection, uid, asked.asked, asked.project);
    case 'revoke':
      return takeBack(connection, uid, asked.asked, asked.project);
    default:
      return asked satisfies never;
  }
}

async function exportInto(
  { deps, name, store }: Connection,
  uid: Uid,
  { file, resume, who, project }: Extract<Asked, { readonly verb: 'export' }>,
): Promise<number> {
  const progress = startProgress('entries');
  const isWhole = await untilStopped((stop) =>
    exportUser(deps, uid, file, {
      ...{ mayGoOn: resume, store },
      ...{ stop, onEntries: progress.report },
    }),
  );
  progress.end();
  if (isWhole) {
    console.log(`${uid}, in ${name}: everything is in ${file}`);
    return 0;
  }
  const where = project === undefined ? '' : ` --project ${project}`;
  console.error(howToGoOn(`customer${where} export ${who} --file ${file}`));
  return STOPPED;
}

async function show({ deps, name }: Connection, uid: Uid): Promise<number> {
  const { account, view, audits, claims, differences } = await checkUser(deps, uid);
  const { record, stored, ledger } = account;
  const entries = await readLedger(deps.firestore, uid, ENTRIES);

  console.log(`${uid}, in ${name}`);
  section('Record', describeRecord(record));
  console.log(`claims: ${describeClaims(claims)}`);
  section(
    `Ledger, the newest ${ENTRIES}`,
    entries.length === 0
      ? 'empty'
      : formatTable(
          ['when', 'entry', 'allowance', 'packs', 'leaves', 'because of', 'in the log as'],
          entries.map(({ entry, own }) => [
            describeTime(entry.createdAt),
            entry.id,
            signed(entry.deltaAllowance),
            signed(entry.deltaPack),
            String(entry.allowance + entry.packCredits),
            ...causeOf(entry, own),
          ]),
        ),
  );
  console.log(`adds up to ${ledger.allowance} allowance + ${ledger.packs} packs`);
  section(
    'Facts',
    stored === null ? 'none: no event of this user has come yet' : describeFacts(stored.facts),
  );
  if (audits.length > 0) section('By hand', describeAudits(audits));
  section('Provider', describeView(view));
  section(
    'Do they agree?',
    differences.length === 0
      ? 'Yes.'
      : `${formatTable(DIFFERENCE_HEADING, differences.map(describeDifference))}\n\nTo repair: npx billing reconcile ${uid} --apply`,
  );
  return differences.length === 0 ? 0 : 1;
}

/** What an entry stands for, and how the log names it. */
function causeOf({ kind }: AnyEntry, own: LedgerEntry | null): readonly [string, string] {
  if (own === null) return [String(kind ?? 'not ours'), ''];
  if ('reason' in own) return [own.reason, own.eventId];
  return [describeRequest(own), ('correlationId' in own && own.correlationId) || ''];
}

function section(title: string, text: string): void {
  console.log(`\n${title}\n${'─'.repeat(title.length)}\n${text}`);
}

function describeClaims(claims: ClaimedRights | null): string {
  if (claims === null) return 'no auth user';
  const { paid, entitlements } = claims;
  return [
    `paid ${paid}`,
    ...(entitlements.length > 0 ? [`entitlements ${entitlements.join(', ')}`] : []),
  ].join('; ');
}

/** September 2001: no balance is read as more, and no instant of ours is earlier. */
const SMALLEST_INSTANT = 1_000_000_000_000;

/** A field of the record, for a person: instants as times, also within lists and objects. */
function describeValue(value: unknown): string {
  if (typeof value === 'number') return value >= SMALLEST_INSTANT ? describeTime(value) : String(value);
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(describeValue).join('; ');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, part]) => `${name} ${describeValue(part)}`)
    .join(', ');
}

function describeRecord(record: CustomerRecord | null): string {
  if (record === null) return 'none';
  const { creditHolds = [], ...fields } = record;
  const rows = Object.entries(fields).map(([field, value]) => [field, describeValue(value)]);
  const holds = creditHolds.map(({ reservation, feature, credits, expiresAt }) => [
    'held',
    `${credits} for ${feature}, until ${describeTime(expiresAt)} (${reservation})`,
  ]);
  return formatTable(['field', 'value'], [...rows, ...holds]);
}

function describeView(view: ProviderView): string {
  const rows = [
    ...view.customers.map(({ id, deleted }) => ['customer', id, deleted ? 'deleted' : 'exists']),
    ...view.subscriptions.map(({ id, state }) => [
      'subscription',
      id,
      `${state.status}${state.cancel ? ', ends' : ''}, ${state.lookupKey ?? 'no lookup key'}${state.periodEnd === null ? '' : `, to ${describeTime(state.periodEnd)}`}`,
    ]),
    ...view.allowances.flatMap(({ fact }) =>
      fact.kind === 'allowance_paid'
        ? [['invoice', fact.invoice, `${fact.credits} credits from ${describeTime(fact.periodStart)}`]]
        : [],
    ),
    ...view.purchases.flatMap(({ fact }) => {
      if (fact.kind === 'purchase_paid')
        return [['purchase', fact.purchase, `${fact.lookupKey ?? fact.product}, paid`]];
      return fact.kind === 'dispute_seen'
        ? [['dispute', fact.dispute, `${fact.outcome}, on ${fact.purchase}`]]
        : [];
    }),
    ...view.disputedInvoices.flatMap(({ fact }) =>
      fact.kind === 'invoice_disputed'
        ? [['dispute', fact.dispute, `${fact.outcome}, on ${fact.invoice}`]]
        : [],
    ),
    ...view.refunds.map(({ charge, refunded, amount }) => [
      'refunds',
      charge,
      `${refunded} of ${amount} (minor units)`,
    ]),
  ];
  return rows.length === 0 ? 'nothing' : formatTable(['what', 'id', 'state'], rows);
}

function describeAudits(audits: readonly AuditRecord[]): string {
  return formatTable(
    ['when', 'grant', 'what', 'who', 'why'],
    audits.map((audit) => [
      describeTime(audit.at),
      audit.grant,
      audit.what === 'revoke' ? 'revoked' : describeGrant(audit),
      audit.actor,
      audit.reason,
    ]),
  );
}

function signed(delta: number): string {
  return delta > 0 ? `+${delta}` : String(delta);
}

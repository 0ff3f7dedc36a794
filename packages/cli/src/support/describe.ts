import type { GrantAudit } from '@extension-billing/contract/audit';
import type { PeriodEntry, RequestEntry } from '@extension-billing/contract/ledger';
import type { Receipt } from '@extension-billing/contract/measured';
import type { Facts } from '../../../../functions/src/events/facts.ts';
import { clawedOf, isFullyRefunded } from '../../../../functions/src/events/facts.ts';
import type { Difference } from '../../../../functions/src/reconcile/compare.ts';

/** Rows under a heading, in columns as wide as what stands in them. */
export function formatTable(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heading.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(heading), line(widths.map((width) => '─'.repeat(width))), ...rows.map(line)].join('\n');
}

/**
 * As `formatTable`, for rows that are printed as they are found: columns as wide as has been needed so far, and the
 * heading above the first row.
 */
export function rowFormatter(heading: readonly string[]): (row: readonly string[]) => string {
  const widths = heading.map(({ length }) => Math.max(length, 12));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => {
        widths[column] = Math.max(widths[column] ?? 0, cell.length);
        return cell.padEnd(widths[column] ?? 0);
      })
      .join('  ')
      .trimEnd();
  let isFirst = true;
  return (row) => {
    if (!isFirst) return line(row);
    isFirst = false;
    const text = line(row);
    return [line(heading), line(widths.map((width) => '─'.repeat(width))), text].join('\n');
  };
}

/** Milliseconds since 1970 as a short UTC time; an unknown time as a dash. */
export function describeTime(millis: number): string {
  return millis === 0 ? '–' : `${new Date(millis).toISOString().slice(0, 16).replace('T', ' ')}Z`;
}

export const DIFFERENCE_HEADING = ['what', 'which', 'here', 'should be', 'repair'] as const;

/** A difference as a row under DIFFERENCE_HEADING. */
export function describeDifference({ kind, about, here, should, repair }: Difference): readonly string[] {
  return [kind, about, here, should, repairOf(repair)];
}

function repairOf(repair: Difference['repair']): string {
  switch (repair.kind) {
    case 'facts':
      return 'write the facts';
    case 'derive':
      return 'derive again';
    case 'mirror':
      return 'set the claim';
    case 'keep':
      return 'keeps the sale at the provider';
    case 'end':
      return 'ends the subscription at the provider';
    case 'none':
      return `none: ${repair.why}`;
    default:
      return repair satisfies never;
  }
}

/** What a feature's request, or the clock, recorded, in a few words. */
export function describeRequest(entry: RequestEntry | PeriodEntry): string {
  switch (entry.kind) {
    case 'consume':
      return `${entry.feature}, ${entry.outcome}`;
    case 'reserve':
      return entry.outcome === 'exhausted'
        ? `${entry.feature}, exhausted`
        : `${entry.feature}, ${entry.cost} held until ${describeTime(entry.expiresAt)}`;
    case 'confirm':
      return [
        `${entry.feature}, confirmed`,
        ...(entry.shortfall === undefined ? [] : [`${entry.shortfall} short`]),
        ...(entry.receipt === undefined ? [] : [describeReceipt(entry.receipt)]),
      ].join(', ');
    case 'release':
      return `${entry.feature}, released`;
    case 'expiry':
      return `${entry.feature}, settled too late`;
    case 'period':
      return `the clock: ${entry.granted} began`;
    default:
      return entry satisfies never;
  }
}

/** What a backend measured: its label, and each unit at its rate. */
function describeReceipt({ label, lines = [] }: Receipt): string {
  const rows = lines.map(({ unit, quantity, credits, per }) => `${quantity} ${unit} × ${credits}/${per}`);
  return [...(label === undefined ? [] : [`"${label}"`]), ...rows].join(', ');
}

/** What was given by hand, and until when. */
export function describeGrant({
  credits,
  expiresAt,
  entitlements,
  until,
}: Pick<GrantAudit, 'credits' | 'expiresAt' | 'entitlements' | 'until'>): string {
  return [
    ...(credits > 0
      ? [`${credits} credits${expiresAt === undefined ? '' : ` until ${describeTime(expiresAt)}`}`]
      : []),
    ...(entitlements.length > 0 ? [`${entitlements.join(', ')} until ${describeTime(until ?? 0)}`] : []),
  ].join('; ');
}

/** Every fact about a user, one object a line. */
export function describeFacts(facts: Facts): string {
  const rows = [
    ...Object.entries(facts.customers).map(([id, { deleted, at }]) => [
      'customer',
      id,
      deleted ? 'deleted' : 'exists',
      describeTime(at),
    ]),
    ...Object.entries(facts.subscriptions).map(([id, { state, at, ticket, undated }]) => [
      'subscription',
      id,
      `${state.status}${state.cancel ? ', ends' : ''}, ${state.lookupKey ?? 'no lookup key'}${ticket > 0 ? `, asked for (${ticket})` : ''}`,
      undated === true ? '–' : describeTime(at),
    ]),
    ...Object.entries(facts.grants).map(([, grant]) => [
      'allowance',
      grant.invoice,
      `${grant.credits} credits`,
      describeTime(grant.periodStart),
    ]),
    ...Object.entries(facts.purchases).map(([id, purchase]) => {
      const back = isFullyRefunded(purchase) ? ', money back' : '';
      const clawed = clawedOf(purchase);
      const size = purchase.product === 'pack' ? ` of ${purchase.credits} credits` : '';
      return [
        purchase.product ?? 'purchase',
        id,
        `${purchase.paidAt === null ? 'not paid' : 'paid'}${size}${back}${clawed > 0 ? `, ${clawed} clawed back` : ''}`,
        describeTime(purchase.paidAt ?? 0),
      ];
    }),
    ...Object.entries(facts.disputedInvoices).flatMap(([invoice, { amount, disputes }]) =>
      Object.entries(disputes).map(([id, { won, disputed, openedAt }]) => [
        'dispute',
        id,
        `${won ? 'won' : 'open or lost'}, ${disputed ?? amount} of ${amount} of ${invoice}`,
        describeTime(openedAt),
      ]),
    ),
    ...Object.entries(facts.handGrants).map(([id, grant]) => {
      const { credits, expires, entitlements, until, at, revokedAt } = grant;
      const ends = { ...(expires !== null && { expiresAt: expires }), ...(until !== null && { until }) };
      const what = describeGrant({ credits, entitlements, ...ends });
      return ['by hand', id, revokedAt === null ? what : `${what}, revoked`, describeTime(at ?? 0)];
    }),
    ...(facts.imported === null
      ? []
      : [['imported', '', `paid ${facts.imported.paid}, plan ${facts.imported.plan ?? 'none'}`, '–']]),
  ];
  return formatTable(['what', 'id', 'state', 'as of'], rows);
}

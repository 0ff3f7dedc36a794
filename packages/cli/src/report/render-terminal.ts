import type { Figure, Figures } from '@extension-billing/contract/days';
import { dayOf } from '@extension-billing/contract/time';
import { netOf } from '../../../../functions/src/report/figures.ts';
import { describeTime, formatTable } from '../support/describe.ts';
import type { Report } from './read-report.ts';

/** A figure as a person reads it. */
export interface Column {
  readonly figure: Figure;
  readonly title: string;
  readonly explains: string;
}

export const CREDIT_COLUMNS: readonly Column[] = [
  { figure: 'grantedAllowance', title: 'allowance', explains: 'granted for a new period' },
  { figure: 'grantedPacks', title: 'packs', explains: 'granted with packs' },
  { figure: 'spent', title: 'spent', explains: 'by consumes and confirmed reservations' },
  { figure: 'clawedBack', title: 'clawed back', explains: 'with money that went back' },
  { figure: 'expired', title: 'expired', explains: 'allowance that was left at a renewal or an end' },
  { figure: 'adjusted', title: 'adjusted', explains: 'restored, imported or corrected' },
  { figure: 'givenByHand', title: 'by hand', explains: 'given, less what was taken back' },
  { figure: 'held', title: 'held', explains: 'by reservations that were begun' },
  { figure: 'lapsed', title: 'lapsed', explains: 'of reservations that were settled too late' },
];

export const SALES_COLUMNS: readonly Column[] = [
  { figure: 'invoices', title: 'invoices', explains: 'of subscriptions, with money paid; known for 45 days' },
  { figure: 'packs', title: 'packs', explains: 'bought' },
  { figure: 'lifetimes', title: 'lifetime', explains: 'plans bought' },
  { figure: 'refunds', title: 'refunds', explains: 'of packs and lifetime plans' },
  { figure: 'disputes', title: 'disputes', explains: 'opened' },
];

/** Amounts and their currencies aren't stored, so the report doesn't guess them. */
export const WITHOUT_AMOUNTS =
  'Numbers of sales, not amounts: Stripe’s Dashboard has those, by currency. An invoice of 0 is no sale.';

/** The report for a terminal: what all accounts have now, and the days on which something happened. */
export function renderTerminal(report: Report): string {
  const { standing, asOf, days, total, features } = report;
  return [
    section(
      `At ${describeTime(asOf)}`,
      [
        `${standing.customers} customers; ${standing.allowance} allowance + ${standing.packs} pack credits, ${standing.held} of them held`,
        standing.plans.length === 0
          ? 'no active plan'
          : formatTable(
              ['active plan', 'state', 'customers'],
              standing.plans.map(({ plan, state, customers }) => [plan, state, String(customers)]),
            ),
      ].join('\n\n'),
    ),
    section('Sales by day (UTC)', `${table(SALES_COLUMNS, days, total)}\n${WITHOUT_AMOUNTS}`),
    section('Credits by day (UTC)', table(CREDIT_COLUMNS, days, total)),
    describeOrigins(report),
    `granted and adjusted less spent, clawed back and expired: ${netOf(total)}; ${total.spends} spends, ${total.refused} refused`,
    ...(features.length === 0
      ? []
      : [
          section(
            'Spent by feature',
            formatTable(
              ['feature', 'credits'],
              features.map(({ feature, credits }) => [feature, String(credits)]),
            ),
          ),
        ]),
  ].join('\n\n');
}

/** Where the figures come from, for a person. */
export function describeOrigins({
  read: { summarized, live, leftOut },
  asOf,
}: Pick<Report, 'read' | 'asOf'>): string {
  const parts = [
    ...(summarized > 0 ? [`${count(summarized, 'day')} as the service added them up`] : []),
    ...(live.length > 0 ? [`${count(live.length, 'day')} read from the ledgers (${span(live)})`] : []),
    ...(live.includes(dayOf(asOf)) ? [`${dayOf(asOf)} is not over: its figures still grow`] : []),
    ...(leftOut.length > 0 ? [`without ${span(leftOut)}, not over yet: --live reads the ledgers`] : []),
  ];
  return parts.join('; ');
}

function count(days: number, noun: string): string {
  return `${days} ${noun}${days === 1 ? '' : 's'}`;
}

function span(days: readonly string[]): string {
  const [first = '', last = ''] = [days[0], days.at(-1)];
  return first === last ? first : `${first} to ${last}`;
}

type Day = { readonly day: string } & Figures;

function table(columns: readonly Column[], days: readonly Day[], total: Figures): string {
  const row = (name: string, figures: Figures) => [
    name,
    ...columns.map(({ figure }) => (figures[figure] === 0 ? '·' : String(figures[figure]))),
  ];
  return formatTable(
    ['day', ...columns.map(({ title }) => title)],
    [...days.filter((day) => isBusy(day, columns)).map((day) => row(day.day, day)), row('all', total)],
  );
}

/** Whether anything of this happened. */
export function isBusy(figures: Figures, columns: readonly Column[]): boolean {
  return columns.some(({ figure }) => figures[figure] !== 0);
}

function section(title: string, text: string): string {
  return `${title}\n${'─'.repeat(title.length)}\n${text}`;
}

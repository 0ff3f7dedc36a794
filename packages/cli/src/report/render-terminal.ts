import { formatTable } from '../support/format-table.ts';
import { type Column, CREDIT_COLUMNS, SALES_COLUMNS } from './columns.ts';
import { type Figures, netOf } from './day-figures.ts';
import type { Report } from './reduce-report.ts';

/** The report for a terminal: what all accounts have now, and the days on which something happened. */
export function renderTerminal(report: Report): string {
  const { standing, days, total, features } = report;
  const busy = days.filter((day) => isBusy(day));
  return [
    section(
      'Now',
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
    section('Sales by day (UTC)', table(SALES_COLUMNS, busy, total)),
    section('Credits by day (UTC)', table(CREDIT_COLUMNS, busy, total)),
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

type Day = { readonly day: string } & Figures;

function table(columns: readonly Column[], days: readonly Day[], total: Figures): string {
  const row = (name: string, figures: Figures) => [
    name,
    ...columns.map(({ figure }) => (figures[figure] === 0 ? '·' : String(figures[figure]))),
  ];
  return formatTable(
    ['day', ...columns.map(({ title }) => title)],
    [...days.map((day) => row(day.day, day)), row('all', total)],
  );
}

function isBusy(figures: Figures): boolean {
  return [...CREDIT_COLUMNS, ...SALES_COLUMNS].some(({ figure }) => figures[figure] !== 0);
}

function section(title: string, text: string): string {
  return `${title}\n${'─'.repeat(title.length)}\n${text}`;
}

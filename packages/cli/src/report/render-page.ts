import type { Column } from './columns.ts';
import { CREDIT_COLUMNS, SALES_COLUMNS } from './columns.ts';
import type { Figure, Figures } from './day-figures.ts';
import { drawChart, type Series } from './draw-chart.ts';
import { escapeHtml } from './escape-html.ts';
import { PAGE_STYLE } from './page-style.ts';
import type { Report } from './reduce-report.ts';

type Tone = readonly [figure: Figure, tone: string, direction: Series['direction']];

const CREDIT_TONES: readonly Tone[] = [
  ['grantedAllowance', 'allowance', 'up'],
  ['grantedPacks', 'packs', 'up'],
  ['spent', 'spent', 'down'],
  ['clawedBack', 'back', 'down'],
  ['expired', 'expired', 'down'],
];
const SALES_TONES: readonly Tone[] = [
  ['invoices', 'allowance', 'up'],
  ['packs', 'packs', 'up'],
  ['lifetimes', 'other', 'up'],
  ['refunds', 'back', 'down'],
  ['disputes', 'expired', 'down'],
];

/**
 * The report as one HTML file that needs nothing else: no script, no font, no address. Each chart has a table beside
 * it with the same figures. It names no user.
 *
 * @param where which project it is of
 */
export function renderPage(report: Report, where: string, madeAt: Date): string {
  const { standing, total, features } = report;
  const active = standing.plans.reduce((sum, { customers }) => sum + customers, 0);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Billing report, ${span(report)}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<main>
<h1>Billing report</h1>
<p>${span(report)}, in UTC · ${escapeHtml(where)} · made ${madeAt.toISOString().slice(0, 16).replace('T', ' ')}Z</p>
<dl class="figures">
${figure('Active plans', active)}
${figure('Customers', standing.customers)}
${figure('Allowance owned', standing.allowance)}
${figure('Pack credits owned', standing.packs)}
${figure('Held now', standing.held)}
${figure('Spent in these days', total.spent)}
</dl>
${chart(report, 'Credits by day', 'Granted above the line; spent, clawed back and expired below it.', CREDIT_COLUMNS, CREDIT_TONES)}
${chart(report, 'Sales by day', 'Paid above the line, money that went back below it. Invoices are known for 45 days.', SALES_COLUMNS, SALES_TONES)}
${list(
  'Active plans, now',
  ['plan', 'state', 'customers'],
  standing.plans.map(({ plan, state, customers }) => [plan, state, customers]),
)}
${list(
  'Spent by feature',
  ['feature', 'credits'],
  features.map(({ feature, credits }) => [feature, credits]),
)}
</main>
</body>
</html>
`;
}

function span({ days }: Report): string {
  const [first = '', last = ''] = [days[0]?.day, days.at(-1)?.day];
  return first === last ? first : `${first} to ${last}`;
}

function figure(name: string, value: number): string {
  return `<div><dt>${name}</dt><dd>${count(value)}</dd></div>`;
}

function chart(
  { days, total }: Report,
  title: string,
  explains: string,
  columns: readonly Column[],
  tones: readonly Tone[],
): string {
  const series = tones.map(([name, tone, direction]) => ({
    name: titleOf(columns, name),
    tone,
    direction,
    values: days.map((day) => day[name]),
  }));
  const legend = series.map(({ name, tone }) => `<li class="${tone}">${name}</li>`).join('');
  const rows = days
    .toReversed()
    .map((day) => `<tr><th scope="row">${day.day}</th>${cells(columns, day)}</tr>`)
    .join('\n');
  return `<section>
<h2>${title}</h2>
<p>${explains}</p>
<div class="pair">
<div>
<ul>${legend}</ul>
${drawChart(
  title,
  days.map(({ day }) => day),
  series,
)}
</div>
<div class="scroll" tabindex="0" role="region" aria-label="${title}, as a table">
<table>
<thead><tr><th scope="col">day</th>${columns.map(({ title: name, explains: what }) => `<th scope="col" title="${escapeHtml(what)}">${name}</th>`).join('')}</tr></thead>
<tbody>
${rows}
</tbody>
<tfoot><tr><th scope="row">all</th>${cells(columns, total)}</tr></tfoot>
</table>
</div>
</div>
</section>`;
}

/** A table whose last column is also a bar. */
function list(
  title: string,
  heading: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const most = Math.max(1, ...rows.map((row) => Number(row.at(-1))));
  const body = rows.map((row) => {
    const value = Number(row.at(-1));
    const bar = `<td class="wide" aria-hidden="true"><div class="bar" style="width:${((100 * value) / most).toFixed(1)}%"></div></td>`;
    const [name = '', ...rest] = row.map((cell) =>
      typeof cell === 'number' ? count(cell) : escapeHtml(cell),
    );
    return `<tr><th scope="row">${name}</th>${rest.map((cell) => `<td>${cell}</td>`).join('')}${bar}</tr>`;
  });
  const table = `<table><thead><tr>${heading.map((name) => `<th scope="col">${name}</th>`).join('')}<td aria-hidden="true"></td></tr></thead>
<tbody>${body.join('\n')}</tbody></table>`;
  return `<section><h2>${title}</h2>${rows.length === 0 ? '<p>None.</p>' : table}</section>`;
}

function cells(columns: readonly Column[], figures: Figures): string {
  return columns.map(({ figure: name }) => `<td>${count(figures[name])}</td>`).join('');
}

function titleOf(columns: readonly Column[], name: Figure): string {
  return columns.find(({ figure: known }) => known === name)?.title ?? name;
}

const count = (value: number): string => new Intl.NumberFormat('en').format(value);

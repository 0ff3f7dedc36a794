import type { Figure, Figures } from '@extension-billing/contract/days';
import { describeTime } from '../support/describe.ts';
import type { Report } from './read-report.ts';
import {
  type Column,
  CREDIT_COLUMNS,
  describeOrigins,
  isBusy,
  SALES_COLUMNS,
  WITHOUT_AMOUNTS,
} from './render-terminal.ts';

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
<p>${span(report)}, in UTC · ${escapeHtml(where)} · made ${describeTime(madeAt.getTime())}</p>
<p>${describeOrigins(report)} · what customers hold: ${describeTime(report.asOf)}</p>
<dl class="figures">
${figure('Active plans', active)}
${figure('Customers', standing.customers)}
${figure('Allowance owned', standing.allowance)}
${figure('Pack credits owned', standing.packs)}
${figure('Held', standing.held)}
${figure('Spent in these days', total.spent)}
</dl>
${chart(report, 'Credits by day', 'Granted above the line; spent, clawed back and expired below it.', CREDIT_COLUMNS, CREDIT_TONES)}
${chart(report, 'Sales by day', `Paid above the line, money that went back below it. Invoices are known for 45 days. ${WITHOUT_AMOUNTS}`, SALES_COLUMNS, SALES_TONES)}
${list(
  'Active plans',
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
  const busy = days.filter((day) => isBusy(day, columns));
  const rows = busy
    .toReversed()
    .map((day) => `<tr><th scope="row">${day.day}</th>${cells(columns, day)}</tr>`)
    .join('\n');
  return `<section>
<h2>${title}</h2>
<p>${explains}</p>
<div class="stack">
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
${describeQuiet(days.length - busy.length)}
</div>
</section>`;
}

function describeQuiet(days: number): string {
  if (days === 0) return '';
  return `<p>${days === 1 ? '1 day' : `${days} days`} without any of it ${days === 1 ? 'is' : 'are'} left out.</p>`;
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
  const table = `<table><thead><tr>${heading.map((name) => `<th scope="col">${name}</th>`).join('')}<td class="wide" aria-hidden="true"></td></tr></thead>
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

/** One kind of thing over the days; what goes `down` is drawn below the line. */
interface Series {
  readonly name: string;
  readonly tone: string;
  readonly direction: 'up' | 'down';
  readonly values: readonly number[];
}

const WIDTH = 720;
const HEIGHT = 320;
const LEFT = 56;
const BOTTOM = 26;
const TOP = 10;
const GAP = 1.5;

/**
 * Stacked bars by day, above and below one line, as an SVG of its own. Every bar says its figure when pointed at; the
 * table beside it says all of them, so the picture itself is one image with a name.
 */
function drawChart(title: string, days: readonly string[], series: readonly Series[]): string {
  const top = niceMost(stacked(series, 'up', days.length));
  const bottom = niceMost(stacked(series, 'down', days.length));
  const scale = (HEIGHT - TOP - BOTTOM) / Math.max(1, top + bottom);
  const zero = TOP + top * scale;
  const step = (WIDTH - LEFT) / days.length;
  const bars = days.flatMap((day, index) => {
    const ends = { up: zero, down: zero };
    return series.flatMap(({ name, tone, direction, values }) => {
      const value = values[index] ?? 0;
      if (value <= 0) return [];
      const height = value * scale;
      const y = direction === 'up' ? ends.up - height : ends.down;
      ends[direction] += direction === 'up' ? -height : height;
      const shown = Math.max(1, height - GAP);
      const place = `x="${fixed(LEFT + index * step + step * 0.14)}" y="${fixed(y)}" width="${fixed(step * 0.72)}" height="${fixed(shown)}"`;
      return [
        `<rect class="${tone}" ${place} rx="1.5"><title>${escapeHtml(`${day}: ${name} ${value}`)}</title></rect>`,
      ];
    });
  });
  return [
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeHtml(`${title}; the table beside it has the figures`)}">`,
    ...ticks(top, bottom).map((value) => gridLine(value, zero - value * scale)),
    ...bars,
    `<line class="zero" x1="${LEFT}" x2="${WIDTH}" y1="${fixed(zero)}" y2="${fixed(zero)}"/>`,
    ...dayLabels(days, step),
    '</svg>',
  ].join('\n');
}

function stacked(series: readonly Series[], direction: Series['direction'], days: number): number {
  const sums = Array.from({ length: days }, (_, index) =>
    series
      .filter((one) => one.direction === direction)
      .reduce((sum, { values }) => sum + Math.max(0, values[index] ?? 0), 0),
  );
  return Math.max(0, ...sums);
}

/** The next of 1, 2 or 5 times a power of ten. */
function niceMost(most: number): number {
  if (most === 0) return 0;
  const power = 10 ** Math.floor(Math.log10(most));
  return ([1, 2, 5, 10].find((factor) => factor * power >= most) ?? 10) * power;
}

function ticks(top: number, bottom: number): readonly number[] {
  const apart = Math.max(1, niceMost(Math.max(top, bottom) / 4));
  const above = Array.from({ length: Math.floor(top / apart) }, (_, index) => (index + 1) * apart);
  const below = Array.from({ length: Math.floor(bottom / apart) }, (_, index) => -(index + 1) * apart);
  return [0, ...above, ...below];
}

function gridLine(value: number, y: number): string {
  const text = new Intl.NumberFormat('en', { notation: 'compact' }).format(Math.abs(value));
  return `<line class="grid" x1="${LEFT}" x2="${WIDTH}" y1="${fixed(y)}" y2="${fixed(y)}"/><text x="${LEFT - 8}" y="${fixed(y + 4)}" text-anchor="end">${text}</text>`;
}

function dayLabels(days: readonly string[], step: number): readonly string[] {
  const every = Math.ceil(days.length / 8);
  return days.flatMap((day, index) =>
    index % every === 0
      ? [
          `<text x="${fixed(LEFT + (index + 0.5) * step)}" y="${HEIGHT - 6}" text-anchor="middle">${day.slice(5)}</text>`,
        ]
      : [],
  );
}

const fixed = (value: number): string => String(Math.round(value * 100) / 100);

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text as it may stand in HTML, also in an attribute. */
function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** The page's one style sheet: follows the reader's theme, and prints. */
const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --page: #f6f6f4; --card: #ffffff; --ink: #16181d; --quiet: #5d626b; --line: #dcdedb; --zero: #8b9098; --shade: #0000002e;
  --allowance: #2a6fd0; --packs: #168a68; --spent: #c77a12; --back: #cf3f46; --expired: #7b8190; --other: #7a55c7;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #131519; --card: #1c1f25; --ink: #eceef1; --quiet: #a3a9b4; --line: #343943; --zero: #767d8a; --shade: #000000b0;
    --allowance: #5b9bf0; --packs: #35b48f; --spent: #e0a03c; --back: #ee6d72; --expired: #99a0ae; --other: #a98bea;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1240px; margin: 0 auto; padding: 28px 20px 56px; }
h1 { font-size: 26px; line-height: 1.2; margin: 0 0 4px; letter-spacing: -0.01em; }
h2 { font-size: 17px; margin: 0 0 2px; }
p { margin: 0; color: var(--quiet); }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(120px, 1fr)); gap: 12px; margin: 22px 0; padding: 0; }
.figures div, section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 16px 18px; }
.figures dt { color: var(--quiet); font-size: 13px; }
.figures dd { margin: 0; font-size: 25px; font-weight: 600; font-variant-numeric: tabular-nums; }
section { margin-bottom: 16px; }
.stack { display: grid; grid-template-columns: minmax(0, 1fr); gap: 16px; }
ul { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 10px 0 6px; padding: 0; font-size: 13px; }
li::before { content: ""; display: inline-block; width: 10px; height: 10px; border-radius: 3px; margin-right: 6px; background: var(--tone); }
svg { width: 100%; height: auto; max-height: 420px; display: block; }
svg text { fill: var(--quiet); font-size: 11px; font-variant-numeric: tabular-nums; }
.grid { stroke: var(--line); } .zero { stroke: var(--zero); }
rect.allowance { fill: var(--allowance); } rect.packs { fill: var(--packs); } rect.spent { fill: var(--spent); }
rect.back { fill: var(--back); } rect.expired { fill: var(--expired); } rect.other { fill: var(--other); }
li.allowance { --tone: var(--allowance); } li.packs { --tone: var(--packs); } li.spent { --tone: var(--spent); }
li.back { --tone: var(--back); } li.expired { --tone: var(--expired); } li.other { --tone: var(--other); }
/* Shadows at the edges behind which there is more; the covers scroll along and hide them at the ends. */
.scroll {
  max-height: 420px; overflow: auto; border: 1px solid var(--line); border-radius: 8px;
  background:
    linear-gradient(to right, var(--card) 30%, transparent) left / 40px 100% no-repeat local,
    linear-gradient(to left, var(--card) 30%, transparent) right / 40px 100% no-repeat local,
    linear-gradient(to right, var(--shade), transparent) left / 14px 100% no-repeat scroll,
    linear-gradient(to left, var(--shade), transparent) right / 14px 100% no-repeat scroll;
}
.scroll:focus-visible { outline: 2px solid var(--allowance); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; font-size: 13px; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--quiet); padding-bottom: 4px; }
th, td { padding: 4px 8px; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child { text-align: left; }
thead th { position: sticky; top: 0; background: var(--card); font-weight: 600; color: var(--quiet); }
tfoot th, tfoot td { font-weight: 600; border-bottom: 0; }
.bar { height: 10px; border-radius: 3px; background: var(--allowance); min-width: 2px; }
td.wide { width: 55%; }
@media (max-width: 640px) { .wide { display: none; } td, th { white-space: normal; overflow-wrap: anywhere; } .scroll :is(td, th) { white-space: nowrap; } }
@media print { body { background: none; } section, .figures div { break-inside: avoid; } .scroll { max-height: none; } }
`;

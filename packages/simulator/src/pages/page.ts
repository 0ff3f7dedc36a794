import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { formatMoney } from './money.js';
import type { BillingInterval } from './views.ts';

/** Markup that is already escaped. Only `html` makes it, so a plain string can never be taken for it. */
export class SafeHtml {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

/** What may stand between `${` and `}`: text is escaped, nothing-values vanish, lists are joined. */
export type Fragment = SafeHtml | string | number | null | undefined | false | readonly Fragment[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

function renderFragment(fragment: Fragment): string {
  if (fragment instanceof SafeHtml) return fragment.markup;
  if (fragment === null || fragment === undefined || fragment === false) return '';
  if (typeof fragment === 'string' || typeof fragment === 'number') return escapeText(String(fragment));
  return fragment.map(renderFragment).join('');
}

/** Markup with every inserted text escaped, for element content and quoted attributes alike. */
export function html(strings: TemplateStringsArray, ...fragments: Fragment[]): SafeHtml {
  return new SafeHtml(
    strings.reduce((markup, string, index) => markup + renderFragment(fragments[index - 1]) + string),
  );
}

/** Markup written in this folder (a style sheet, a script), inserted as it stands. Never for data. */
function trusted(markup: string): SafeHtml {
  return new SafeHtml(markup);
}

/** A file of this folder (style sheet or script), read once when its page's module loads. */
export function readAsset(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}

/** The parts of a document. `style` and `script` are sources from `readAsset`; the script is a module. */
type PageParts = {
  title: string;
  body: SafeHtml;
  style: string;
  script?: string | undefined;
};

const BASE_STYLE = readAsset('styles/base.css');

function sourceHash(source: string): string {
  return `'sha256-${createHash('sha256').update(source).digest('base64')}'`;
}

/**
 * A whole document with its style and script inside. Its policy lets only these two run, by their hashes, so
 * that data which slipped through unescaped would still not execute; nothing is loaded from anywhere else.
 */
export function renderPage(parts: PageParts): string {
  const style = BASE_STYLE + parts.style;
  const policy = [
    "default-src 'none'",
    `style-src ${sourceHash(style)}`,
    `script-src ${parts.script === undefined ? "'none'" : sourceHash(parts.script)}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
  ].join('; ');
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>${parts.title}</title>
<style>${trusted(style)}</style>
</head>
<body>
${parts.body}
${parts.script === undefined ? '' : html`<script type="module">${trusted(parts.script)}</script>`}
</body>
</html>
`.markup;
}

const RUNS_CODE = new Set(['javascript:', 'data:', 'vbscript:', 'blob:']);

/**
 * A link's target that cannot run code in this page: the URL itself, or `#` where it is malformed or carries a
 * script. Extension and application schemes pass, since a return address may be one.
 */
export function safeHref(url: string): string {
  if (!URL.canParse(url)) return '#';
  return RUNS_CODE.has(new URL(url).protocol) ? '#' : url;
}

/** The line above every page that says what this is, so that nobody takes it for the real provider. */
export function renderSimulationBanner(): SafeHtml {
  return html`<aside class="banner" aria-label="About this page"><strong>Simulation</strong> No money moves, and no card leaves this machine.</aside>`;
}

/** A price with its rhythm: `$9.00 per month`, or only the amount where it is paid once. */
export function priceText(amount: number, currency: string, interval: BillingInterval | null): string {
  const money = formatMoney(amount, currency);
  return interval === null ? money : `${money} per ${interval}`;
}

/** A count of days in words: `1 day`, `7 days`. */
export function daysText(days: number): string {
  return days === 1 ? '1 day' : `${days} days`;
}

/** What a hosted page answers: a page, or the way to another one. */
export type HostedAnswer = { status: number; html: string } | { location: string };

/** A redirect is a 303: the browser follows with a GET, whatever it sent. */
export function hostedResponse(answer: HostedAnswer): Response {
  const cache = { 'Cache-Control': 'no-store' };
  return 'location' in answer
    ? new Response(null, { status: 303, headers: { Location: answer.location, ...cache } })
    : new Response(answer.html, {
        status: answer.status,
        headers: { 'Content-Type': 'text/html; charset=utf-8', ...cache },
      });
}

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { html, type SafeHtml, trusted } from './html.ts';

/** A file of this folder (style sheet or script), read once when its page's module loads. */
export function readAsset(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}

/** The parts of a document. `style` and `script` are sources from `readAsset`; the script is a module. */
export type PageParts = {
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

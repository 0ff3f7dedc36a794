import { FEATURE } from './catalog.ts';

/** @param more attributes of the panel */
const elements = (more = ''): string => `    <billing-panel layout="full"${more}>
      <!-- A button that spends: put it where your feature is. It fires billing-paid when the credits are taken. -->
      <billing-button feature="${FEATURE}">Try the feature</billing-button>
    </billing-panel>`;

const page = (script: string, styles: string, more = ''): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <title>Billing</title>
    <link rel="stylesheet" href="${styles}" />
    <script type="module" src="${script}"></script>
  </head>
  <body>
${elements(more)}
  </body>
</html>
`;

/**
 * Billing's page without a framework and without a bundler: the panel, and a button that spends.
 *
 * @param catalog its file, from the extension's root
 */
export function pageHtml(catalog: string): string {
  return page('client/elements.js', 'page.css', ` catalog="${catalog}"`);
}

/**
 * The same for a bundler, which finds the rest by what the page names.
 *
 * @param names of the script and the style sheet, beside the page
 */
export function bundledPageHtml({
  script,
  styles,
}: {
  readonly script: string;
  readonly styles: string;
}): string {
  return page(`./${script}`, `./${styles}`);
}

/**
 * What that page runs: the elements, and what they advertise.
 *
 * @param config billing.config.ts, as this file names it
 */
export function pageScript(config: string): string {
  return `import { providePricing } from '@extension-billing/client/elements';
import catalog from '${config}';

providePricing(catalog);
`;
}

/** The script of a page whose HTML is the tool's: it puts the elements there, too. */
export function pageScriptWithElements(config: string, styles: string): string {
  return (
    `import './${styles}';
${pageScript(config)}
document.body.insertAdjacentHTML(
  'afterbegin',
  ` +
    '`' +
    `
${elements()}
  ` +
    '`' +
    `,
);
`
  );
}

export function pageCss(): string {
  return `/* The look is yours: any --billing-… property, here or on a single element (docs/add-billing.md, "Theming"). */
:root {
  color-scheme: light dark;
  font-family: system-ui, sans-serif;
}
body {
  margin: 0;
}
billing-panel {
  min-height: 100vh;
}
`;
}

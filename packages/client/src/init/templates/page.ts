import { FEATURE } from './catalog.ts';

/** Billing's page without a framework and without a bundler: the panel, and a button that spends. */
export function pageHtml(): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <title>Billing</title>
    <link rel="stylesheet" href="page.css" />
    <script type="module" src="client/elements.js"></script>
  </head>
  <body>
    <billing-panel catalog="billing/catalog.json"></billing-panel>
    <!-- A button that spends: put it where your feature is. It fires billing-paid when the credits are taken. -->
    <billing-button feature="${FEATURE}">Try the feature</billing-button>
  </body>
</html>
`;
}

export function pageCss(): string {
  return `/* The look is yours: any --billing-… property, here or on a single element (docs/add-billing.md, "Theming"). */
:root {
  color-scheme: light dark;
  font-family: system-ui, sans-serif;
}
body {
  max-width: 640px;
  margin: 24px auto;
  padding: 0 16px;
}
`;
}

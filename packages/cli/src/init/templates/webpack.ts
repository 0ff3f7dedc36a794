/**
 * billing/webpack.cjs: puts billing's page into whatever a webpack configuration builds, be it an object, a list, a
 * promise or a function. It copies behind webpack's back, once everything is written, so that no loader, no chunk splitting
 * and no cleaning of the folder touches it.
 *
 * @param page the files of billing/ that the page consists of
 */
export function webpackWrapper(page: readonly string[]): string {
  return `// Copies billing's page into the build. Its elements come from the installed package as they are: nothing to bundle.
const fs = require('node:fs');
const path = require('node:path');

const PAGE = ${JSON.stringify(page)};
const PACKAGE = 'node_modules/@extension-billing/client/dist';
const ELEMENTS = ['elements.js', 'LICENSE', 'licenses/elements.md'];

/** The folder that is loaded: the one with the manifest, which is the output's or one above it. */
function extensionFolder(output) {
  const above = [output, path.dirname(output), path.dirname(path.dirname(output))];
  return above.find((folder) => fs.existsSync(path.join(folder, 'manifest.json'))) ?? output;
}

function find(folder) {
  for (let from = __dirname; ; from = path.dirname(from)) {
    const found = path.join(from, folder);
    if (fs.existsSync(found)) return found;
    if (from === path.dirname(from)) throw new Error(\`\${folder} is not there: install the packages first.\`);
  }
}

const billingPage = {
  apply(compiler) {
    compiler.hooks.afterEmit.tap('extension-billing', () => {
      const into = path.join(extensionFolder(compiler.outputPath), 'billing');
      fs.mkdirSync(path.join(into, 'client', 'licenses'), { recursive: true });
      for (const name of PAGE) fs.copyFileSync(path.join(__dirname, name), path.join(into, name));
      for (const name of ELEMENTS) fs.copyFileSync(path.join(find(PACKAGE), name), path.join(into, 'client', name));
    });
  },
};

const withPage = (config) => ({ ...config, plugins: [...(config.plugins ?? []), billingPage] });

/** The same configuration, with billing's page in the first of its builds. */
module.exports = function withBilling(config) {
  if (typeof config === 'function') return (...args) => withBilling(config(...args));
  if (typeof config?.then === 'function') return config.then(withBilling);
  if (!Array.isArray(config)) return withPage(config);
  const [first, ...others] = config;
  return Object.assign([withPage(first), ...others], { parallelism: config.parallelism });
};
`;
}

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
const ELEMENTS = 'node_modules/@extension-billing/client/dist/elements.js';

/** The folder that is loaded: the one with the manifest, which is the output's or one above it. */
function extensionFolder(output) {
  const above = [output, path.dirname(output), path.dirname(path.dirname(output))];
  return above.find((folder) => fs.existsSync(path.join(folder, 'manifest.json'))) ?? output;
}

function find(file) {
  for (let folder = __dirname; ; folder = path.dirname(folder)) {
    const found = path.join(folder, file);
    if (fs.existsSync(found)) return found;
    if (folder === path.dirname(folder)) throw new Error(\`\${file} is not there: install the packages first.\`);
  }
}

const billingPage = {
  apply(compiler) {
    compiler.hooks.afterEmit.tap('extension-billing', () => {
      const into = path.join(extensionFolder(compiler.outputPath), 'billing');
      fs.mkdirSync(path.join(into, 'client'), { recursive: true });
      for (const name of PAGE) fs.copyFileSync(path.join(__dirname, name), path.join(into, name));
      fs.copyFileSync(find(ELEMENTS), path.join(into, 'client', 'elements.js'));
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

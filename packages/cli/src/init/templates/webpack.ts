/**
 * billing/webpack.cjs: puts billing's page into whatever a webpack configuration builds, be it an object, a list, a
 * promise or a function. The files are assets of the build, so that plugins that zip or clean see them, and are marked as
 * minimized, so that no minimizer changes them.
 *
 * @param page the files of billing/ that the page consists of
 * @param worker as the manifest names it: the page lies in a folder beside it
 */
export function webpackWrapper(page: readonly string[], worker: string): string {
  return `// Adds billing's page to the build. Its elements come from the installed package as they are: nothing to bundle.
const fs = require('node:fs');
const path = require('node:path');

const PAGE = ${JSON.stringify(page)};
const WORKER = ${JSON.stringify(worker)};
const PACKAGE = 'node_modules/@extension-billing/client/dist';
const ELEMENTS = ['elements.js', 'LICENSE', 'licenses/elements.md'];

/** The folders of the output with a worker in them: one for each browser that is built for. */
function workerFolders(assets) {
  const isWorker = (name) => name === WORKER || WORKER.endsWith('/' + name) || name.endsWith('/' + WORKER);
  const folders = assets.filter(isWorker).map((name) => path.posix.dirname(name));
  return folders.length > 0 ? folders : ['.'];
}

function find(folder) {
  for (let from = __dirname; ; from = path.dirname(from)) {
    const found = path.join(from, folder);
    if (fs.existsSync(found)) return found;
    if (from === path.dirname(from)) throw new Error(\`\${folder} is not there: install the packages first.\`);
  }
}

function pageAssets(names) {
  const files = [
    ...PAGE.map((name) => [name, path.join(__dirname, name)]),
    ...ELEMENTS.map((name) => ['client/' + name, path.join(find(PACKAGE), name)]),
  ];
  return workerFolders(names).flatMap((folder) =>
    files.map(([name, file]) => [path.posix.join(folder, 'billing', name), fs.readFileSync(file)]),
  );
}

const billingPage = {
  apply(compiler) {
    const name = 'extension-billing';
    const { webpack } = compiler;
    if (webpack === undefined) {
      // webpack 4
      compiler.hooks.emit.tap(name, ({ assets }) => {
        for (const [file, content] of pageAssets(Object.keys(assets))) {
          assets[file] = { source: () => content, size: () => content.length };
        }
      });
      return;
    }
    const stage = webpack.Compilation.PROCESS_ASSETS_STAGE_ADDITIONS;
    compiler.hooks.thisCompilation.tap(name, (compilation) => {
      compilation.hooks.processAssets.tap({ name, stage }, (assets) => {
        for (const [file, content] of pageAssets(Object.keys(assets))) {
          compilation.emitAsset(file, new webpack.sources.RawSource(content), { minimized: true });
        }
      });
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

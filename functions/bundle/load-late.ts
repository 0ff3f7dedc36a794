import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';

const SOURCES = fileURLToPath(new URL('../src/', import.meta.url));

/** The SDKs, which half of the first requests never need (refused, preflight, 404), each with the file it lies in. */
const LATE: Readonly<Record<string, { readonly file: string; readonly part: string }>> = {
  'firebase-admin/app': { file: './firebase.cjs', part: 'app' },
  'firebase-admin/auth': { file: './firebase.cjs', part: 'auth' },
  'firebase-admin/firestore': { file: './firebase.cjs', part: 'firestore' },
  stripe: { file: './stripe.cjs', part: 'stripe' },
};

/**
 * Keeps the SDKs out of service.cjs and loads them when something of them is first used, rather than when it is
 * imported. The sources import them as usual; in the bundle every name reads through a getter.
 */
export const loadLate: Plugin = {
  name: 'load-late',
  setup(build) {
    build.onResolve({ filter: /^(firebase-admin\/|stripe$)/ }, ({ path, importer }) =>
      path in LATE && importer.startsWith(SOURCES) ? { path, namespace: 'late' } : undefined,
    );
    build.onResolve({ filter: /^\.\/\w+\.cjs$/, namespace: 'late' }, ({ path }) => ({
      path,
      external: true,
    }));
    build.onLoad({ filter: /.*/, namespace: 'late' }, async ({ path }) => {
      const { file, part } = LATE[path] ?? { file: '', part: '' };
      const getters = Object.keys(await import(path))
        .filter((name) => name !== 'default' && name !== 'module.exports')
        .map((name) => `get ${name}() { return require('${file}').${part}.${name}; }`);
      return { contents: `module.exports = { ${getters.join(', ')} };` };
    });
  },
};

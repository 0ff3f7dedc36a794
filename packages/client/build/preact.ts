import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const INSTEAD: Readonly<Record<string, string>> = {
  react: 'preact/compat',
  'react/jsx-runtime': 'preact/jsx-runtime',
  'react-dom': 'preact/compat',
  'react-dom/client': 'preact/compat/client',
};

/**
 * For the elements' file: the components on Preact, a tenth of React's size, and with no style sheet beside it. The
 * elements bring the look into their shadow roots themselves (src/elements/styles.ts).
 */
export const onPreact: readonly Plugin[] = [
  {
    name: 'billing:on-preact',
    enforce: 'pre',
    resolveId(source) {
      const other = INSTEAD[source];
      return other === undefined ? null : fileURLToPath(import.meta.resolve(other));
    },
  },
  {
    name: 'billing:no-style-sheet',
    enforce: 'pre',
    load: (id) => (id.endsWith('.css') ? '' : null),
  },
];

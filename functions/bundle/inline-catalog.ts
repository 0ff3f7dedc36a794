import type { Plugin } from 'esbuild';
import { CATALOG_FILE, catalogAsData } from '../../packages/contract/build/inline-catalog.ts';

/** The catalogue as checked data: a process that starts needs neither the check nor what it is made of. */
export const inlineCatalog: Plugin = {
  name: 'inline-catalog',
  setup(build) {
    build.onLoad({ filter: CATALOG_FILE }, async ({ path }) => ({ contents: await catalogAsData(path) }));
  },
};

import type { Plugin } from 'vite';

const WORKER = /\/demo\/background\.ts$/;
const COPY = '?of-the-worker';
const isForeign = (id: string): boolean => /\/node_modules\/|^\0/.test(id);

/**
 * The worker has its own copy of what pages have too. They share no memory, and with one file for both a page would read
 * two that compress apart, and so would the worker at each start.
 */
export const workerApart: Plugin = {
  name: 'billing:worker-apart',
  enforce: 'pre',
  apply: 'build',
  async resolveId(source, importer, options) {
    if (importer === undefined || !(WORKER.test(importer) || importer.endsWith(COPY))) return null;
    const resolved = await this.resolve(source, importer.replace(COPY, ''), { ...options, skipSelf: true });
    if (resolved === null || resolved.external !== false || isForeign(resolved.id)) return resolved;
    return { ...resolved, id: `${resolved.id}${COPY}` };
  },
};

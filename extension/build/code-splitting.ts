import type { Rolldown } from 'vite';
import { REACT_FILE } from './measure-bundles.ts';

/** In a file of its own, so that what is left is what billing adds to a page that has React (measure-bundles.ts). */
const REACT = /\/node_modules\/(?:react|react-dom|scheduler)\/|rolldown\/runtime/;
const PAGE = /\/demo\/(popup|side-panel|options)\/\1\.tsx$/;
const COMPACT = /\/demo\/compact-page\.tsx$/;

/**
 * One file for what the first frame of every page shows, and one for what all pages have after it. Left to itself the
 * bundler makes a file for each set of entries that share something: 3 kB more to read, because each file is compressed
 * by itself. What else is behind an `import()` stays in files of its own.
 */
export const codeSplitting: Rolldown.CodeSplittingOptions = {
  groups: [
    { name: REACT_FILE, test: REACT, priority: 3 },
    ofAll('first', 2, PAGE),
    ofAll('pages', 1, COMPACT),
  ],
};

/** One file of what these import at once, where more than one needs it. */
function ofAll(name: string, priority: number, importer: RegExp): Rolldown.CodeSplittingGroup {
  return {
    name: (id, graph) => (isImportedBy(importer, id, graph) ? name : null),
    priority,
    minShareCount: 2,
  };
}

/** Whether such a file imports a module at once, directly or through others. */
function isImportedBy(
  file: RegExp,
  id: string,
  graph: Rolldown.ChunkingContext,
  seen = new Set([id]),
): boolean {
  return (graph.getModuleInfo(id)?.importers ?? []).some((importer) => {
    if (seen.has(importer)) return false;
    seen.add(importer);
    return file.test(importer) || isImportedBy(file, importer, graph, seen);
  });
}

import type { Rolldown } from 'vite';
import { REACT_FILE } from './measure-bundles.ts';

/** In a file of its own, so that what is left is what billing adds to a page that has React (measure-bundles.ts). */
const REACT = /\/node_modules\/(?:react|react-dom|scheduler)\//;
const WORKER = /\/demo\/background\.ts$/;
/**
 * What is sold for how much, and the texts of what comes later: a popup reads them with the wall, the form or the toast
 * that shows them.
 */
const LATER =
  /\/ui\/(?:plans\/(?:packs|prices)\.tsx?|features\/describe-consume\.ts|text\/(?:refusals|english-of-(?:offers|pages|refusals|sign-in))\.ts)$/;

/**
 * One file for what all pages show at once, and one for what of it the worker needs too, so that it loads no page. Left
 * to itself the bundler makes a file for each set of entries that share something: 3 kB more to read, because each file
 * is compressed by itself. What is behind an `import()` stays in files of its own.
 */
export const codeSplitting: Rolldown.CodeSplittingOptions = {
  groups: [
    { name: REACT_FILE, test: REACT, priority: 2 },
    {
      name: (id, graph) => (isImportedBy(WORKER, id, graph) ? 'shared' : null),
      minShareCount: 2,
      priority: 1,
    },
    { name: (id) => (LATER.test(id) ? null : 'pages'), minShareCount: 3 },
  ],
};

/** Whether such a file imports a module, directly or through others. */
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

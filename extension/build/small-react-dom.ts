import type { Plugin } from 'vite';

const REACT_DOM = /react-dom-client\.production\.js$/;

/** What only a feature of React that these pages do not use ever calls (react-dom 19.3.1), by that feature. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  startViewTransition: 'ViewTransition',
  measureViewTransitionHostInstancesRecursive: 'ViewTransition',
  canHydrateInstance: 'hydrateRoot',
  prepareToHydrateHostInstance: 'hydrateRoot',
  updateDehydratedSuspenseComponent: 'hydrateRoot',
};
/** Assignments that only such a feature needs: the methods of a ref on a fragment, and hydration's own door. */
const ASSIGNMENTS = /^(?:FragmentInstance\.prototype\.\w+|exports\.hydrateRoot) =/;

/**
 * Leaves 4 kB gzipped of React out of the pages: hydration of a server's HTML, view transitions and refs on fragments.
 * A page that came to use one would throw and name it.
 *
 * @throws Error in the build when another version of react-dom names its parts otherwise.
 */
export function smallReactDom(): Plugin {
  return {
    name: 'billing:small-react-dom',
    apply: 'build',
    transform(code, id) {
      if (!REACT_DOM.test(id)) return undefined;
      const missing = new Set(Object.keys(FUNCTIONS));
      let small = '';
      let copiedTo = 0;
      const replace = (start: number, end: number, text: string): void => {
        small += code.slice(copiedTo, start) + text;
        copiedTo = end;
      };
      for (const node of this.parse(code).body) {
        if (node.type === 'FunctionDeclaration' && node.id && missing.delete(node.id.name)) {
          const what = `${FUNCTIONS[node.id.name]} is left out of this bundle (small-react-dom.ts).`;
          replace(node.body?.start ?? node.end, node.end, `{ throw Error(${JSON.stringify(what)}); }`);
        } else if (ASSIGNMENTS.test(code.slice(node.start, node.end))) replace(node.start, node.end, '');
      }
      if (missing.size > 0) this.error(`react-dom has no ${[...missing].join(', ')} any more.`);
      return { code: small + code.slice(copiedTo), map: null };
    },
  };
}

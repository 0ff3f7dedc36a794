import type { Plugin } from 'vite';

const REACT_DOM = /react-dom-client\.production\.js$/;

/** What only a feature of React that these pages do not use ever calls (react-dom 19.3.1), by that feature. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  startViewTransition: 'ViewTransition',
  measureViewTransitionHostInstancesRecursive: 'ViewTransition',
  commitAppearingPairViewTransitions: 'ViewTransition',
  measureNestedViewTransitions: 'ViewTransition',
  applyViewTransitionToHostInstancesRecursive: 'ViewTransition',
  canHydrateInstance: 'hydrateRoot',
  prepareToHydrateHostInstance: 'hydrateRoot',
  updateDehydratedSuspenseComponent: 'hydrateRoot',
  queueIfContinuousEvent: 'hydrateRoot',
  accumulateOrCreateContinuousQueuedReplayableEvent: 'hydrateRoot',
  attemptReplayContinuousQueuedEvent: 'hydrateRoot',
  attemptExplicitHydrationTarget: 'hydrateRoot',
  scheduleReplayQueueIfNeeded: 'hydrateRoot',
  clearHydrationBoundary: 'hydrateRoot',
  hideOrUnhideDehydratedBoundary: 'hydrateRoot',
  getNextHydratableInstanceAfterHydrationBoundary: 'hydrateRoot',
  commitActivityHydrationCallbacks: 'hydrateRoot',
  commitNewChildToFragmentInstance: 'a ref on a fragment',
  deleteChildFromFragmentInstance: 'a ref on a fragment',
  ensureFormComponentIsStateful: 'an action of a form',
  dispatchOptimisticSetState: 'useOptimistic',
  updateSuspenseListComponent: 'SuspenseList',
  cutOffTailIfNeeded: 'SuspenseList',
  updateActivityComponent: 'Activity',
  getResource: 'a style sheet or script as an element',
  acquireResource: 'a style sheet or script as an element',
  suspendResource: 'a style sheet or script as an element',
  insertStylesheetIntoRoot: 'a style sheet or script as an element',
  getHydratableHoistableCache: 'a link or meta element',
  preload: 'preload',
  preloadModule: 'preloadModule',
  preinitStyle: 'preinit',
  preinitScript: 'preinit',
  preinitModuleScript: 'preinitModule',
  setPropOnCustomElement: 'a custom element',
  mountActionState: 'useActionState',
  updateActionStateImpl: 'useActionState',
  dispatchActionState: 'useActionState',
  runActionStateAction: 'useActionState',
  useMemoCache: 'the React compiler',
};
/** Assignments that only such a feature needs: the methods of a ref on a fragment, and hydration's own door. */
const ASSIGNMENTS = /^(?:FragmentInstance\.prototype\.\w+|exports\.hydrateRoot) =/;

/**
 * Leaves some kilobytes of React out of the pages: hydration of a server's HTML, view transitions, refs on fragments,
 * style sheets and custom elements in JSX, and what else `FUNCTIONS` names. A page that came to use one would throw and name it.
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

import type { Plugin } from 'vite';

/** What a page loads only when somebody asks for it, and what only the full page shows. */
const APART =
  /\/(tell-happening|derive-happening|describe-happening|manage-account|sign-in-form|use-sign-in|delete-account|describe-loss|plan-wall|topup-wall|wall-sheet|credit-costs|plan-list|plan-grid|plan-card|plan-end|derive-choices|toggle|options|forget-dismissal|german)\.tsx?$|\/ui\/usage\//;
/** What the worker needs of the pages' files, apart so that it loads no page. */
const SHARED =
  /\/packages\/client\/src\/(within|work-with-credits|snapshot\/(parse|snapshot|place|access|views)|ui\/wall\/wall-key)\.ts$/;
const PAGES =
  /\/node_modules\/(react|react-dom|scheduler)\/|\/(packages\/client\/src\/(ui|hooks)|extension\/src\/demo)\/.*\.tsx?$/;

/**
 * Whether a module belongs to the first paint of every page. Those go into one file: split by who else uses them they
 * come to two kilobytes more, because each file is compressed by itself.
 */
function isFirstPaint(id: string): boolean {
  return PAGES.test(id) && !APART.test(id) && !/\/demo\/(background\.ts|popup|side-panel)/.test(id);
}

/**
 * One file for what all pages show at once, and plain `import()` for what comes later: vite's own loads the style
 * sheets of such a part beside it, and there are none.
 */
export function oneFirstPaint(): Plugin {
  return {
    name: 'billing:one-first-paint',
    apply: 'build',
    enforce: 'pre',
    load: (id) =>
      id.endsWith('vite/preload-helper.js') ? 'export const __vitePreload = (load) => load();' : null,
    config: () => ({
      build: {
        rolldownOptions: {
          output: {
            codeSplitting: {
              groups: [
                { name: 'shared', test: SHARED, priority: 1 },
                { name: 'first-paint', test: isFirstPaint },
              ],
            },
          },
        },
      },
    }),
  };
}

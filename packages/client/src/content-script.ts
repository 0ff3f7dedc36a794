import { parse } from 'node:path';
import type { Plugin, ResolvedConfig } from 'vite';

/**
 * Builds a content script into one file of its own, beside what else is built: Chrome runs it without a module loader,
 * so it cannot share parts with the pages and the worker.
 *
 * @param entry its source, such as `src/content.ts`, which becomes `content.js`
 */
export function contentScript(entry: string): Plugin {
  let config: ResolvedConfig;
  return {
    name: 'extension-billing:content-script',
    apply: 'build',
    configResolved(resolved) {
      config = resolved;
    },
    async closeBundle(error) {
      if (error !== undefined) return;
      const { build } = await import('vite');
      const { root, logLevel, mode, define, build: options } = config;
      await build({
        configFile: false,
        root,
        mode,
        logLevel: logLevel ?? 'info',
        ...(define === undefined ? {} : { define }),
        publicDir: false,
        build: {
          outDir: options.outDir,
          emptyOutDir: false,
          target: options.target || 'chrome121',
          minify: options.minify,
          sourcemap: options.sourcemap,
          modulePreload: false,
          rolldownOptions: {
            input: entry,
            output: { format: 'iife', entryFileNames: `${parse(entry).name}.js` },
          },
        },
      });
    },
  };
}

import type { Plugin } from 'vite';

/** How vite names what it puts around each `import()` that brings a style sheet. */
const HELPER = '\0vite/preload-helper.js';

/**
 * Instead of vite's own, which is made for the web and takes a fifteenth of a first frame: here files come from the
 * disk, and a style sheet is all that is loaded before a script. Where one cannot be read, neither can the rest.
 */
const CODE = `
const sheets = {};
const add = (file) => sheets[file] ??= new Promise((onload, onerror) => {
  const link = document.createElement('link');
  document.head.append(Object.assign(link, { rel: 'stylesheet', href: '/' + file, onload, onerror }));
});
export const __vitePreload = (load, files = []) => Promise.all(files.map(add)).then(load);
`;

export const smallPreload: Plugin = {
  name: 'billing:small-preload',
  enforce: 'pre',
  apply: 'build',
  load: (id) => (id === HELPER ? CODE : null),
};

import { POPUPS, pageThatRuns } from './popups.ts';
import { asJson, type Framework, install, type Project, writeFiles } from './project.ts';

const WXT = 'wxt@0.21.4';

/** What each framework adds, by wxt's page "Frontend frameworks"; its Svelte starter has its source in `src`. */
const WITH: Readonly<Record<Framework, { packages: string[]; config?: string; source: string }>> = {
  nothing: { packages: [], source: '' },
  React: {
    packages: ['@wxt-dev/module-react@1', 'react@19', 'react-dom@19'],
    config: `{ modules: ['@wxt-dev/module-react'] }`,
    source: '',
  },
  Vue: {
    packages: ['@wxt-dev/module-vue@1', 'vue@3'],
    config: `{\n  modules: ['@wxt-dev/module-vue'],\n  manifest: { permissions: ['tabs'] },\n}`,
    source: '',
  },
  Svelte: {
    packages: ['@wxt-dev/module-svelte@2', 'svelte@5'],
    config: `{\n  srcDir: 'src',\n  modules: ['@wxt-dev/module-svelte'],\n}`,
    source: 'src/',
  },
};

/** The background of wxt's page "Installation"; with React it answers the popup, as one in use does. */
const BACKGROUND: Partial<Record<Framework, string>> = {
  nothing: `export default defineBackground(() => {
  console.log('Hello world!');
});
`,
  React: `export default defineBackground({
  type: 'module',
  main() {
    browser.runtime.onMessage.addListener((message, _sender, sendResponse) => {
      if (message === 'ping') sendResponse('pong');
    });
  },
});
`,
};

/** By wxt's pages "Installation", "From scratch", and "Frontend frameworks". */
export function wxtProject(framework: Framework): Project {
  const { packages, config, source } = WITH[framework];
  const popup = POPUPS[framework];
  const background = BACKGROUND[framework];
  return {
    built: '.output/chrome-mv3',
    popup: 'popup.html',
    async make(folder) {
      await writeFiles(folder, {
        'package.json': asJson({
          name: 'my-extension',
          version: '1.0.0',
          private: true,
          type: 'module',
          scripts: { dev: 'wxt', build: 'wxt build', postinstall: 'wxt prepare' },
        }),
        'tsconfig.json': asJson({ extends: './.wxt/tsconfig.json' }),
        [`${source}entrypoints/popup/index.html`]: pageThatRuns(`./${popup.mountFile}`),
        [`${source}entrypoints/popup/${popup.mountFile}`]: popup.mount(`./${popup.file}`),
        [`${source}entrypoints/popup/${popup.file}`]: popup.component,
        ...(background && { [`${source}entrypoints/background.ts`]: background }),
        ...(config && {
          'wxt.config.ts': `import { defineConfig } from 'wxt';\n\nexport default defineConfig(${config});\n`,
        }),
      });
      await install(folder, '--save-dev', WXT, ...packages);
    },
  };
}

import { readFileSync } from 'node:fs';
import { asJson, type Framework, install, type Project, writeFiles } from './project.ts';

const PLASMO = 'plasmo@0.90.5';
const ICON = new URL('../../extension/public/icons/icon-128.png', import.meta.url);

/** A popup by the framework's own convention (`.tsx` without one, too), and what it needs installed. */
const POPUP: Readonly<Record<Framework, { file: string; text: string; packages: string[] }>> = {
  nothing: {
    file: 'popup.tsx',
    packages: [],
    text: `
      let count = 0;
      const button = document.createElement('button');
      const show = () => (button.textContent = \`Clicked \${count} times\`);
      button.addEventListener('click', () => show(count++));
      show();
      document.body.append(button);
      export {};
    `,
  },
  React: {
    file: 'popup.tsx',
    packages: ['react@18', 'react-dom@18', '@types/react@18', '@types/react-dom@18'],
    text: `
      import { useState } from "react"

      export default function IndexPopup() {
        const [count, setCount] = useState(0)
        return <button onClick={() => setCount(count + 1)}>Clicked {count} times</button>
      }
    `,
  },
  Vue: {
    file: 'popup.vue',
    packages: ['vue@3'],
    text: `
      <template>
        <button @click="count++">Clicked {{ count }} times</button>
      </template>

      <script lang="ts">
        export default { data: () => ({ count: 0 }) }
      </script>
    `.replaceAll(/^ {6}/gm, ''),
  },
  Svelte: {
    file: 'popup.svelte',
    packages: ['svelte@4', 'svelte-preprocess@6'],
    text: `
      <script lang="ts">
        let count = 0
      </script>

      <button on:click={() => count++}>Clicked {count} times</button>
    `.replaceAll(/^ {6}/gm, ''),
  },
};

const BACKGROUND: Partial<Record<Framework, string>> = {
  React: `export {}\n\nconsole.log("Hello from the background")\n`,
  Vue: `chrome.runtime.onMessage.addListener((message, _sender, sendResponse) => {
  if (message === "ping") sendResponse("pong")
})

export {}
`,
};

/** By plasmo's pages "Introduction", "Background service worker", "Vue" and "Svelte"; with Vue its source is in `src`. */
export function plasmoProject(framework: Framework): Project {
  const { file, text, packages } = POPUP[framework];
  const source = framework === 'Vue' ? 'src/' : '';
  const background = BACKGROUND[framework];
  return {
    built: 'build/chrome-mv3-prod',
    popup: 'popup.html',
    async make(folder) {
      await writeFiles(folder, {
        'package.json': asJson({
          name: 'my-extension',
          displayName: 'My extension',
          version: '1.0.0',
          private: true,
          scripts: { dev: 'plasmo dev', build: 'plasmo build' },
          ...(framework === 'React' && { manifest: { host_permissions: ['https://*/*'] } }),
        }),
        'tsconfig.json': asJson({
          extends: 'plasmo/templates/tsconfig.base',
          exclude: ['node_modules'],
          include: ['.plasmo/index.d.ts', './**/*.ts', './**/*.tsx'],
          compilerOptions: { paths: { '~*': [`./${source}*`] }, baseUrl: '.' },
        }),
        'assets/icon.png': readFileSync(ICON),
        [`${source}${file}`]: text,
        ...(background && { [`${source}background.ts`]: background }),
      });
      await install(folder, PLASMO, 'typescript@5', '@types/chrome@0.1', ...packages);
    },
  };
}

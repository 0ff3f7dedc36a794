import type { Framework } from './project.ts';

/** A component that counts clicks, and says so in a heading: the whole of a test extension's own popup. */
interface Popup {
  /** The component's file. */
  readonly file: string;
  readonly component: string;
  /** A script that shows the component in `#app`. */
  readonly mount: (component: string) => string;
  readonly mountFile: string;
}

const REACT = `
import { useState } from 'react';

export default function Popup() {
  const [count, setCount] = useState(0);
  return <button onClick={() => setCount(count + 1)}>Clicked {count} times</button>;
}
`;

const VUE = `
<script setup lang="ts">
import { ref } from 'vue';
const count = ref(0);
</script>

<template>
  <button @click="count++">Clicked {{ count }} times</button>
</template>
`;

const SVELTE = `
<script lang="ts">
  let count = $state(0);
</script>

<button onclick={() => count++}>Clicked {count} times</button>
`;

const PLAIN = `
let count = 0;
const button = document.createElement('button');
const show = () => {
  button.textContent = \`Clicked \${count} times\`;
};
button.addEventListener('click', () => {
  count += 1;
  show();
});
show();
document.body.append(button);
`;

export const POPUPS: Readonly<Record<Framework, Popup>> = {
  nothing: {
    ...{ file: 'popup.ts', component: PLAIN, mountFile: 'main.ts' },
    mount: (component) => `import '${component}';\n`,
  },
  React: {
    ...{ file: 'Popup.tsx', component: REACT, mountFile: 'main.tsx' },
    mount: (component) => `
      import { createRoot } from 'react-dom/client';
      import Popup from '${component}';

      createRoot(document.getElementById('app')!).render(<Popup />);
    `,
  },
  Vue: {
    ...{ file: 'Popup.vue', component: VUE, mountFile: 'main.ts' },
    mount: (component) => `
      import { createApp } from 'vue';
      import Popup from '${component}';

      createApp(Popup).mount('#app');
    `,
  },
  Svelte: {
    ...{ file: 'Popup.svelte', component: SVELTE, mountFile: 'main.ts' },
    mount: (component) => `
      import { mount } from 'svelte';
      import Popup from '${component}';

      mount(Popup, { target: document.getElementById('app')! });
    `,
  },
};

/** An HTML page that runs one script. */
export const pageThatRuns = (script: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>My extension</title>
  </head>
  <body>
    <div id="app"></div>
    <script type="module" src="${script}"></script>
  </body>
</html>
`;

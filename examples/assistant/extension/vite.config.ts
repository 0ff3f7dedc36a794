import { fileURLToPath } from 'node:url';
import { defaultClientConditions, defineConfig } from 'vite';
import { SOURCE_CONDITION } from '../../../packages/client/build/resolve-source.ts';
import { smallFirebase } from '../../../packages/client/src/patches/small-firebase.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here('.'),
  plugins: [smallFirebase()],
  // The client of this checkout; an extension of its own takes what was installed.
  resolve: { conditions: [SOURCE_CONDITION, ...defaultClientConditions] },
  build: {
    target: 'chrome121',
    modulePreload: false,
    rolldownOptions: {
      input: [here('assistant.html'), here('src/background.ts')],
      output: { entryFileNames: '[name].js' },
    },
  },
});

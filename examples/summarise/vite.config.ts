import { smallFirebase } from '@extension-billing/client/vite';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [smallFirebase()],
  build: {
    target: 'chrome121',
    modulePreload: false,
    rolldownOptions: {
      input: ['options.html', 'src/background.ts'],
      output: { entryFileNames: '[name].js' },
    },
  },
});

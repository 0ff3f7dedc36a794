import { defineConfig } from 'vite';

export default defineConfig({
  build: {
    target: 'chrome121',
    modulePreload: false,
    rolldownOptions: {
      input: ['options.html', 'src/background.ts'],
      output: { entryFileNames: '[name].js' },
    },
  },
});

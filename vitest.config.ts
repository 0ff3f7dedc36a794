import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { FileOrder } from './tools/test/file-order.ts';

/** Three kinds of test: `unit` needs nothing, `emulator` the running suite, `e2e` the suite and a browser. */
export default defineConfig({
  test: {
    sequence: { sequencer: FileOrder },
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'functions/{src,test,openapi}/**/*.test.ts',
            '{packages,extension}/**/*.test.{ts,tsx}',
            'tools/**/*.test.ts',
          ],
          exclude: [...configDefaults.exclude, '**/dist/**', '**/*.{emulator,e2e,suite,cli}.test.ts'],
          // vitest leaves one core to itself, which is half of a small machine.
          maxWorkers: Math.max(2, availableParallelism() - 1),
          testTimeout: 60_000,
          // Some build what they test first, on a machine that runs other tests meanwhile.
          hookTimeout: 60_000,
        },
      },
      {
        // These start suites of their own, so one at a time and never inside another suite.
        test: {
          name: 'suite',
          include: ['tools/**/*.suite.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'emulator',
          include: ['{functions,packages,extension,tools}/**/*.emulator.test.ts'],
          exclude: [...configDefaults.exclude, '**/dist/**'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
      {
        // Installs the client beside other versions of its peers, from the registry: npm run test:adopters.
        test: {
          name: 'adopters',
          include: ['e2e/**/*.adopters.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          fileParallelism: false,
        },
      },
      {
        // Runs Stripe's own command line, which has to be built first: npm run test:cli.
        test: {
          name: 'cli',
          include: ['{tools,packages}/**/*.cli.test.ts'],
          testTimeout: 60_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['e2e/**/*.e2e.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});

import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { FileOrder } from './tools/test/file-order.ts';
import { testCatalog } from './tools/test/test-catalog.ts';

/** vitest leaves one core to itself, which is half of a small machine. */
const WORKERS = Math.max(3, availableParallelism() - 1);
const WITH_SUITE = './tools/test/with-suite.ts';
const plugins = [testCatalog];
const exclude = [...configDefaults.exclude, '**/dist/**'];

/**
 * Files on the emulators whose users are their own, and which move no clock and hold no event: they run side by side.
 * Every other one is alone: it shares the simulator's clock and deliveries, looks at all users, or counts what is asked
 * within some time.
 */
const OWN_USERS = [
  'examples/assistant/test/service.emulator.test.ts',
  'functions/test/api-examples.emulator.test.ts',
  'functions/test/at-once.emulator.test.ts',
  'functions/test/bodies.emulator.test.ts',
  'functions/test/bounded-calls.emulator.test.ts',
  'functions/test/checkout-suite.emulator.test.ts',
  'functions/test/consume-calls.emulator.test.ts',
  'functions/test/correlation.emulator.test.ts',
  'functions/test/deployed-to-google.emulator.test.ts',
  'functions/test/event-calls.emulator.test.ts',
  'functions/test/free-credits.emulator.test.ts',
  'functions/test/imported.emulator.test.ts',
  'functions/test/lifetime.emulator.test.ts',
  'functions/test/model/crashes.emulator.test.ts',
  'functions/test/model/over-http.emulator.test.ts',
  'functions/test/more-events.emulator.test.ts',
  'functions/test/odd-events.emulator.test.ts',
  'functions/test/one-event.emulator.test.ts',
  'functions/test/prices.emulator.test.ts',
  'functions/test/releases.emulator.test.ts',
  'functions/test/reservations.emulator.test.ts',
  'functions/test/retention.emulator.test.ts',
  'functions/test/rules.emulator.test.ts',
  'functions/test/shared-commits.emulator.test.ts',
  'functions/test/spec-credit-moves.emulator.test.ts',
  'functions/test/spec-errors.emulator.test.ts',
  'functions/test/spec-events.emulator.test.ts',
  'functions/test/tokens.emulator.test.ts',
  'functions/test/usage.emulator.test.ts',
  'packages/cli/src/customer/customer.emulator.test.ts',
  'packages/server/test/both-ways.emulator.test.ts',
  'packages/server/test/readme.emulator.test.ts',
];

/**
 * Unit tests that put a module or the browser's `chrome` in the place of another one, change their process, or drive a
 * browser: each file has a process of its own.
 * The others share theirs and what it has loaded, which takes a third of the processor's time.
 */
const OWN_PROCESS = [
  '{functions,packages,extension,tools}/**/*.browser.test.{ts,tsx}',
  'functions/src/credits/commit.test.ts',
  'functions/src/platform/patches.test.ts',
  'packages/cli/src/program.test.ts',
  'packages/client/src/background/auth-session.test.ts',
  'packages/client/src/background/create-billing-background.test.ts',
  'packages/client/src/background/delete-account.test.ts',
  'packages/client/src/background/host-session.test.ts',
  'packages/client/src/background/listen-to-customer.test.ts',
  'packages/client/src/background/refresh-claims.test.ts',
  'packages/client/src/background/sign-in.test.ts',
  'packages/client/src/patches/guarded-persistence.test.ts',
  'packages/client/src/background/day-of-wakes.test.ts',
  'packages/client/src/given-catalog.test.ts',
  'packages/client/src/keep-alive.test.ts',
  'packages/client/src/send.test.ts',
  'packages/client/src/ui/features/consume-presses.test.ts',
  'packages/client/src/ui/notifications/say-refusal.test.ts',
  'packages/client/src/ui/plans/follow-prices.test.ts',
  'packages/client/src/ui/text/texts.test.ts',
  'packages/client/src/ui/text/truth.test.ts',
  'packages/client/src/web/create-web-billing.test.ts',
  'packages/client/src/web/serve.test.ts',
];

/** Several files at a time, all projects of this kind together. */
const sideBySide = { maxWorkers: WORKERS };
/** One file at a time, a project after the other. */
const inTurn = (groupOrder: number) => ({ fileParallelism: false, sequence: { groupOrder } });
const patience = (milliseconds: number) => ({ testTimeout: milliseconds, hookTimeout: milliseconds });
/** A project that runs one command and holds that it succeeds. */
const check = (name: string, command: readonly string[], more: object = sideBySide) => ({
  test: {
    ...{ name, include: ['tools/test/command.check.test.ts'], provide: { command } },
    ...patience(300_000),
    ...more,
  },
});

const NO_UNIT = [...exclude, '**/*.{emulator,e2e,suite,cli,check}.test.ts'];
const unit = (more: object) => ({
  plugins,
  test: {
    include: [
      'functions/{src,test,openapi}/**/*.test.ts',
      '{packages,extension,examples}/**/*.test.{ts,tsx}',
      'tools/**/*.test.ts',
    ],
    // Some build what they test first, on a machine that runs other tests meanwhile.
    ...patience(60_000),
    ...sideBySide,
    ...more,
  },
});

/** `npm test` runs these in two runs side by side: tools/test.ts. */
export default defineConfig({
  test: {
    sequence: { sequencer: FileOrder },
    projects: [
      check('types', ['node', 'tools/types.ts']),
      check('lint', ['biome', 'check', '.']),
      unit({
        name: 'unit',
        exclude: [...NO_UNIT, ...OWN_PROCESS],
        isolate: false,
        execArgv: ['--max-old-space-size=6144'],
      }),
      unit({ name: 'unit-isolated', include: OWN_PROCESS, exclude: NO_UNIT }),
      {
        plugins,
        test: {
          name: 'emulator',
          include: OWN_USERS,
          globalSetup: WITH_SUITE,
          ...patience(60_000),
          ...sideBySide,
        },
      },
      {
        plugins,
        test: {
          name: 'emulator-alone',
          include: ['{functions,packages,extension,tools}/**/*.emulator.test.ts'],
          exclude: [...exclude, ...OWN_USERS],
          globalSetup: WITH_SUITE,
          ...patience(60_000),
          ...inTurn(1),
        },
      },
      check('contract', ['node', 'tools/contract.ts'], { globalSetup: WITH_SUITE, ...inTurn(2) }),
      {
        test: {
          name: 'e2e',
          include: ['e2e/**/*.e2e.test.ts'],
          globalSetup: WITH_SUITE,
          testTimeout: 180_000,
          hookTimeout: 120_000,
          ...inTurn(3),
        },
      },
      {
        // The same journeys in Firefox, of which `npm test` runs one: npx vitest run --project firefox.
        test: {
          name: 'firefox',
          include: ['e2e/**/*.firefox.test.ts'],
          globalSetup: WITH_SUITE,
          testTimeout: 180_000,
          hookTimeout: 120_000,
          ...inTurn(9),
        },
      },
      {
        // These start suites of their own, so one at a time and never inside another suite.
        test: { name: 'suite', include: ['tools/**/*.suite.test.ts'], ...patience(120_000), ...inTurn(4) },
      },
      {
        // Installs the client beside other versions of its peers, from the registry: npx vitest run --project adopters.
        test: {
          name: 'adopters',
          include: ['e2e/**/*.adopters.test.ts'],
          globalSetup: WITH_SUITE,
          ...patience(180_000),
          ...inTurn(5),
        },
      },
      {
        // Runs Stripe's own command line, which has to be built first: npx vitest run --project cli.
        test: {
          name: 'cli',
          include: ['{tools,packages}/**/*.cli.test.ts'],
          globalSetup: WITH_SUITE,
          ...patience(60_000),
          ...inTurn(6),
        },
      },
      check('traffic', ['node', 'tools/check-traffic.ts'], inTurn(7)),
    ],
  },
});

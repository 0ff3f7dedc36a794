/** One phase of `npm test`. */
export interface Phase {
  readonly name: string;
  readonly what: string;
  readonly command: readonly string[];
  /** Whether it reports its tests one by one, as vitest does; else it counts as one check. */
  readonly reports: boolean;
  /** What it needs: the running suite, and with it the extension built for it. */
  readonly needs: 'nothing' | 'suite' | 'extension';
}

/** Phases that run one after the other. */
export type Lane = readonly Phase[];
/** Lanes that run side by side, each giving way to those before it. A stage begins when the one before it has ended. */
export type Stage = readonly Lane[];

const vitest = (project: string): readonly string[] => ['vitest', 'run', '--project', project];

const TYPES: Phase = {
  name: 'types',
  what: 'types of every workspace',
  command: ['node', 'tools/types.ts'],
  reports: false,
  needs: 'nothing',
};
const LINT: Phase = {
  name: 'lint',
  what: 'lint and format',
  command: ['biome', 'check', '.'],
  reports: false,
  needs: 'nothing',
};
const UNIT: Phase = {
  name: 'unit',
  what: 'unit tests',
  command: vitest('unit'),
  reports: true,
  needs: 'nothing',
};
const SUITE: Phase = {
  name: 'suite',
  what: 'tests of the suite itself',
  command: vitest('suite'),
  reports: true,
  needs: 'nothing',
};
const EMULATOR: Phase = {
  name: 'emulator',
  what: 'tests on the emulators',
  command: vitest('emulator'),
  reports: true,
  needs: 'suite',
};
const CONTRACT: Phase = {
  name: 'contract',
  what: 'the running service against docs/openapi.json',
  command: ['node', 'tools/contract.ts'],
  reports: false,
  needs: 'suite',
};
const E2E: Phase = {
  name: 'e2e',
  what: 'tests in a real Chromium',
  command: vitest('e2e'),
  reports: true,
  needs: 'extension',
};
const TRAFFIC: Phase = {
  name: 'traffic',
  what: 'what was asked and answered, against Stripe’s document',
  command: ['node', 'tools/check-traffic.ts'],
  reports: false,
  needs: 'nothing',
};

const QUERIES: Phase = {
  name: 'queries',
  what: 'what was asked of Firestore and written there, against its indexes and limits',
  command: ['node', 'tools/check-queries.ts'],
  reports: false,
  needs: 'nothing',
};

/**
 * What needs the one suite waits for its parts, and some of it is timed; the rest computes beside it and gives way.
 * Traffic and queries come last: they look at what passed between the others and the simulator, and Firestore.
 */
export const STAGES: readonly Stage[] = [
  [
    [EMULATOR, CONTRACT, E2E],
    [TYPES, LINT, UNIT, SUITE],
  ],
  [[TRAFFIC, QUERIES]],
];
export const PHASES: readonly Phase[] = STAGES.flat(2);

/**
 * The phases that were asked for, in their stages; all when none were.
 *
 * @throws Error naming a word that is no phase.
 */
export function chooseStages(words: readonly string[]): readonly Stage[] {
  const names = PHASES.map(({ name }) => name);
  const unknown = words.find((word) => !names.includes(word));
  if (unknown !== undefined)
    throw new Error(`There is no phase "${unknown}"; there are ${names.join(', ')}.`);
  if (words.length === 0) return STAGES;
  return STAGES.map((stage) =>
    stage.map((lane) => lane.filter(({ name }) => words.includes(name))).filter((lane) => lane.length > 0),
  ).filter((stage) => stage.length > 0);
}

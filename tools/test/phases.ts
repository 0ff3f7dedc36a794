/** One part of `npm test`, by the name that a person types: one or two projects of vitest.config.ts. */
export interface Phase {
  readonly name: string;
  readonly what: string;
  readonly projects: readonly string[];
  /** Runs only if named, or with `--all`: takes minutes, or needs what only some machines can build. */
  readonly onRequest?: true;
}

/** Checks that are no tests of vitest's: each is one command, which holds or not. */
export const CHECKS: Readonly<Record<string, readonly string[]>> = {
  types: ['node', 'tools/types.ts'],
  lint: ['biome', 'check', '.'],
  contract: ['node', 'tools/contract.ts'],
  traffic: ['node', 'tools/check-traffic.ts'],
};

declare module 'vitest' {
  export interface ProvidedContext {
    /** The command of a project that is one check. */
    readonly command: readonly string[];
  }
}

export const PHASES: readonly Phase[] = [
  { name: 'types', what: 'types of every workspace', projects: ['types'] },
  { name: 'lint', what: 'lint and format', projects: ['lint'] },
  { name: 'unit', what: 'unit tests', projects: ['unit', 'unit-isolated'] },
  { name: 'emulator', what: 'tests on the emulators', projects: ['emulator', 'emulator-alone'] },
  { name: 'contract', what: 'the running service against docs/openapi.json', projects: ['contract'] },
  { name: 'e2e', what: 'tests in a real browser', projects: ['e2e'] },
  { name: 'suite', what: 'tests of the suite itself', projects: ['suite'] },
  {
    name: 'traffic',
    what: 'what was asked and answered, against Stripe’s document',
    projects: ['traffic'],
  },
  { name: 'firefox', what: 'every journey in Firefox', projects: ['firefox'], onRequest: true },
  {
    name: 'adopters',
    what: 'the packages in other people’s projects',
    projects: ['adopters'],
    onRequest: true,
  },
  { name: 'cli', what: 'Stripe’s own command line', projects: ['cli'], onRequest: true },
];

/** One run of vitest. Runs of one stage go on side by side, each with a suite of its own where it needs one. */
export interface Lane {
  readonly name: string;
  readonly projects: readonly string[];
  /** How much it leaves the processors to the others: 0 is as usual, 19 is the most. */
  readonly niceness: number;
}

/**
 * What goes one at a time, and partly by the clock, beside what computes or has users of its own; when that is done, what
 * asks the service at random, and the tests that start suites of their own, so that both take about as long. What passed
 * between all of these and the simulator is checked last.
 */
export const STAGES: readonly (readonly Lane[])[] = [
  [
    { name: 'one at a time', projects: ['emulator-alone', 'e2e'], niceness: 0 },
    {
      name: 'side by side',
      projects: ['emulator', 'lint', 'types', 'unit', 'unit-isolated', 'contract', 'suite'],
      niceness: 5,
    },
  ],
  [{ name: 'on request', projects: ['firefox', 'adopters', 'cli'], niceness: 0 }],
  [{ name: 'afterwards', projects: ['traffic'], niceness: 0 }],
];

/** The argument that runs every phase. */
const ALL = '--all';

/**
 * Returns the named phases. Without a name: all but those on request. With `--all`: all.
 *
 * @throws Error naming a word that is no phase.
 */
export function choosePhases(words: readonly string[]): readonly Phase[] {
  if (words.length === 1 && words[0] === ALL) return PHASES;
  const names = PHASES.map(({ name }) => name);
  const unknown = words.find((word) => !names.includes(word));
  if (unknown !== undefined)
    throw new Error(`There is no phase "${unknown}"; there are ${names.join(', ')}.`);
  return PHASES.filter(({ name, onRequest }) =>
    words.length === 0 ? onRequest !== true : words.includes(name),
  );
}

/** The stages without the projects that were not asked for, and without lanes that have none left. */
export function stagesOf(phases: readonly Phase[]): readonly (readonly Lane[])[] {
  const chosen = phases.flatMap(({ projects }) => projects);
  return STAGES.map((lanes) =>
    lanes
      .map((lane) => ({ ...lane, projects: lane.projects.filter((project) => chosen.includes(project)) }))
      .filter(({ projects }) => projects.length > 0),
  ).filter((lanes) => lanes.length > 0);
}

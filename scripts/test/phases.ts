/** One phase of `npm test`. Those with `suite` run inside one running suite, in this order. */
export interface Phase {
  readonly name: string;
  readonly what: string;
  readonly command: readonly string[];
  /** Whether it reports its tests one by one, as vitest does; else it counts as one check. */
  readonly reports: boolean;
  readonly suite: boolean;
}

const vitest = (project: string): readonly string[] => ['vitest', 'run', '--project', project];

export const PHASES: readonly Phase[] = [
  {
    name: 'types',
    what: 'types of every workspace',
    command: ['node', 'scripts/types.ts'],
    reports: false,
    suite: false,
  },
  { name: 'lint', what: 'lint and format', command: ['biome', 'check', '.'], reports: false, suite: false },
  { name: 'unit', what: 'unit tests', command: vitest('unit'), reports: true, suite: false },
  { name: 'suite', what: 'tests of the suite itself', command: vitest('suite'), reports: true, suite: false },
  {
    name: 'emulator',
    what: 'tests on the emulators',
    command: vitest('emulator'),
    reports: true,
    suite: true,
  },
  { name: 'e2e', what: 'tests in a real Chromium', command: vitest('e2e'), reports: true, suite: true },
  {
    // Last: it looks at what passed between the others and the simulator.
    name: 'traffic',
    what: 'what was asked and answered, against Stripe’s document',
    command: ['node', 'scripts/check-traffic.ts'],
    reports: false,
    suite: true,
  },
];

/**
 * The phases that were asked for; all when none were.
 *
 * @throws Error naming a word that is no phase.
 */
export function choosePhases(words: readonly string[]): readonly Phase[] {
  const names = PHASES.map(({ name }) => name);
  const unknown = words.find((word) => !names.includes(word));
  if (unknown !== undefined)
    throw new Error(`There is no phase "${unknown}"; there are ${names.join(', ')}.`);
  return words.length === 0 ? PHASES : PHASES.filter(({ name }) => words.includes(name));
}

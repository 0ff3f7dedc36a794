import { expect, it } from 'vitest';
import { choosePhases, PHASES, STAGES, stagesOf } from './phases.ts';

const projects = (stages: ReturnType<typeof stagesOf>) =>
  stages.map((lanes) => lanes.map((lane) => lane.projects));

it('runs every project of every phase once with --all', () => {
  expect(stagesOf(choosePhases(['--all']))).toEqual(STAGES);
  const planned = STAGES.flat().flatMap((lane) => lane.projects);
  expect(planned.toSorted()).toEqual(PHASES.flatMap((phase) => phase.projects).toSorted());
});

it('leaves out Firefox, adopters and Stripe’s command line unless they are named', () => {
  const usual = choosePhases([]).map(({ name }) => name);
  expect(usual).toContain('e2e');
  expect(PHASES.map(({ name }) => name).filter((name) => !usual.includes(name))).toEqual([
    'firefox',
    'adopters',
    'cli',
  ]);
  expect(choosePhases(['cli']).map(({ name }) => name)).toEqual(['cli']);
});

it('runs those that were asked for, in the same stages and lanes', () => {
  expect(projects(stagesOf(choosePhases(['traffic', 'emulator', 'lint'])))).toEqual([
    [['emulator-alone'], ['emulator', 'lint']],
    [['traffic']],
  ]);
});

it('looks at what passed between the others last, and lets what is timed give way to nothing', () => {
  const [first = []] = STAGES;
  expect(STAGES.at(-1)?.map((lane) => lane.projects)).toEqual([['traffic']]);
  expect(first.find((lane) => lane.projects.includes('e2e'))?.niceness).toBe(0);
});

it('refuses a phase that does not exist', () => {
  expect(() => choosePhases(['units'])).toThrow('There is no phase "units"; there are types, lint, unit');
});

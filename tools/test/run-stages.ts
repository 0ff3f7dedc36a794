import type { Processes } from '../suite/processes.ts';
import type { Lane, Phase, Stage } from './phases.ts';
import { type PhaseResult, runPhase } from './run-phase.ts';
import type { SharedSuite } from './shared-suite.ts';
import { NOTHING } from './tally.ts';

/** What a lane gives way to the one before it. */
const NICER = 10;

/** Runs stages one after the other, and the lanes of each side by side. A phase that fails stops no other. */
export async function runStages(
  stages: readonly Stage[],
  suite: SharedSuite,
  processes: Processes,
  folder: string,
): Promise<readonly PhaseResult[]> {
  const results: PhaseResult[] = [];
  for (const stage of stages) {
    const isAlone = stage.length === 1;
    const run = async (phase: Phase, lane: number): Promise<PhaseResult> => {
      try {
        const surroundings = await suite.surroundings(phase.needs);
        const niceness = lane * NICER;
        return await runPhase(phase, { environment: surroundings, processes, folder, isAlone, niceness });
      } catch (error) {
        console.error(`${phase.name}: ${error instanceof Error ? error.message : String(error)}`);
        return { name: phase.name, tally: { ...NOTHING, failed: 1 }, seconds: 0 };
      }
    };
    const lanes = await Promise.all(stage.map((lane, at) => runLane(lane, (phase) => run(phase, at))));
    results.push(...lanes.flat());
  }
  return results;
}

async function runLane(
  lane: Lane,
  run: (phase: Phase) => Promise<PhaseResult>,
): Promise<readonly PhaseResult[]> {
  const results: PhaseResult[] = [];
  for (const phase of lane) results.push(await run(phase));
  return results;
}

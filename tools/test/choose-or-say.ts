import { chooseStages, PHASES, type Stage } from './phases.ts';

export const TEST_USAGE = `usage: npm test [-- <phase…>]
${PHASES.map(({ name, what }) => `  ${name.padEnd(9)} ${what}`).join('\n')}`;

/** The phases that were asked for. Ends the process with the usage and status 2 where a word names none. */
export function chooseOrSay(words: readonly string[]): readonly Stage[] {
  try {
    return chooseStages(words);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${TEST_USAGE}`);
    process.exit(2);
  }
}

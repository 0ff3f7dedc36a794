import type { Command } from 'commander';

/** A status that every command has, whatever else it says with one. */
export const WRONG_ARGS = 2;
export const PROJECT = 'a Firebase project of yours; without it the suite that runs on this machine';

/** Takes the exit status that a command answers. */
export type Answer = (status: number) => void;

/** What stands under a command's options: lines to try, and what its exit status says. */
export function explain(
  command: Command,
  examples: readonly string[],
  statuses: Readonly<Record<number, string>>,
): Command {
  const lines = { ...statuses, [WRONG_ARGS]: statuses[WRONG_ARGS] ?? 'the args are wrong; nothing was done' };
  return command.addHelpText(
    'after',
    `
Examples:
${examples.map((line) => `  npx billing ${line}`).join('\n')}

Exit status:
${Object.entries(lines)
  .map(([status, says]) => `  ${status}  ${says}`)
  .join('\n')}`,
  );
}

import { type ParseArgsConfig, parseArgs } from 'node:util';

/** Prints the usage and ends the process well, where the words ask for it. */
export function answerHelp(words: readonly string[], usage: string): void {
  if (!words.includes('--help') && !words.includes('-h')) return;
  console.log(usage);
  process.exit(0);
}

/**
 * The words of a command. Ends the process with the usage: well where they ask for it, with status 2 where they are
 * none that the command knows.
 */
export function parseWords<const Config extends Omit<ParseArgsConfig, 'args'>>(
  words: readonly string[],
  usage: string,
  config: Config,
): ReturnType<typeof parseArgs<Config & { args: string[] }>> {
  answerHelp(words, usage);
  try {
    return parseArgs({ ...config, args: [...words] });
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    process.exit(2);
  }
}

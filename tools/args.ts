import { type ParseArgsConfig, parseArgs as parse } from 'node:util';

/** Prints the usage and ends the process well, where the args ask for it. */
export function answerHelp(args: readonly string[], usage: string): void {
  if (!args.includes('--help') && !args.includes('-h')) return;
  console.log(usage);
  process.exit(0);
}

/**
 * The args of a command. Ends the process with the usage: well where they ask for it, with status 2 where the command
 * does not know them.
 */
export function parseArgs<const Config extends Omit<ParseArgsConfig, 'args'>>(
  args: readonly string[],
  usage: string,
  config: Config,
): ReturnType<typeof parse<Config & { args: string[] }>> {
  answerHelp(args, usage);
  try {
    return parse({ ...config, args: [...args] });
  } catch (error) {
    console.error(`${usage}\n\n${error instanceof Error ? error.message : error}`);
    process.exit(2);
  }
}

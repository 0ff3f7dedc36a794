import { readFileSync } from 'node:fs';
import { Command, CommanderError, type ErrorOptions } from 'commander';
import { addBackup } from './backup/command.ts';
import { addCatalog } from './catalog/command.ts';
import { addCustomer } from './customer/command.ts';
import { addDeploy } from './deploy/command.ts';
import { addDoctor } from './doctor/command.ts';
import { addImport } from './import/command.ts';
import { addInit } from './init/command.ts';
import { addKeys } from './keys/command.ts';
import { Refusal } from './local/refusal.ts';
import { addReconcile } from './reconcile/command.ts';
import { addReport } from './report/command.ts';
import { addSetUp } from './stripe/command.ts';
import { type Answer, WRONG_ARGS } from './support/explain.ts';

const VERSION: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;

/** Says what is wrong with the args last, so that no screen of help hides it. */
class BillingCommand extends Command {
  override createCommand(name?: string): Command {
    return new BillingCommand(name);
  }

  override error(message: string, options?: ErrorOptions): never {
    const help = this.createHelp();
    process.stderr.write(`Usage: ${help.commandUsage(this)}\nMore: npx ${pathOf(this)} --help\n\n`);
    return super.error(message, options);
  }
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/**
 * Runs `billing` with these args, and prints what it has to say.
 *
 * @returns the exit status: the command's own, 0 after help, 2 if the args are wrong
 */
export async function run(args: readonly string[]): Promise<number> {
  let status = 0;
  const program = createProgram((answered) => {
    status = answered;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return status;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_ARGS;
    console.error(error instanceof Refusal ? error.message : error);
    return 2;
  }
}

/** Every command, in the order of the help. Each has its args in its room's command.ts. */
const COMMANDS: readonly ((program: Command, answer: Answer) => void)[] = [
  addInit,
  addSetUp,
  addDoctor,
  addDeploy,
  addCustomer,
  addImport,
  addCatalog,
  addKeys,
  addReport,
  addReconcile,
  addBackup,
];

/** Every command with its args and its help. What a command does is loaded when it is called. */
export function createProgram(answer: (status: number) => void = () => {}): Command {
  const program = new BillingCommand('billing')
    .description('What the owner of the service does with it: set up, deploy, look after customers, back up.')
    .exitOverride()
    .version(VERSION)
    .configureHelp({ showGlobalOptions: true })
    .addHelpText(
      'after',
      '\nRun a command with "npx billing <command>". Its own help has examples and exit statuses.',
    );
  for (const add of COMMANDS) add(program, answer);
  return program;
}

import { readFileSync } from 'node:fs';
import { Command, CommanderError, type ErrorOptions, InvalidArgumentError } from 'commander';
import { parseUsageRange } from '../../../functions/src/credits/usage.ts';
import { parseUid, type Uid } from '../../../functions/src/store/documents.ts';
import { addCustomer } from './customer/command.ts';
import type { DoctorOptions } from './doctor/doctor.ts';
import { addImport } from './import/command.ts';
import { addInit } from './init/command.ts';
import { addKeys } from './keys/command.ts';
import { Refusal } from './local/refusal.ts';
import { type Answer, explain, PROJECT, WRONG_ARGS } from './support/explain.ts';
import { STOPPED } from './support/resume.ts';

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

/** Every command with its args and its help. What a command does is loaded when it is called. */
export function createProgram(answer: (status: number) => void = () => {}): Command {
  const program = new BillingCommand('billing')
    .description('What the owner of the service does with it: set up, deploy, look after customers, back up.')
    .exitOverride()
    .version(VERSION)
    .configureHelp({ showGlobalOptions: true })
    .addHelpText(
      'after',
      `
Most commands are npm scripts too, which first installs what is missing: npm run customer -- <args>
(setup is npm run stripe:setup). Run one with "npx billing <command>" where everything is installed.`,
    );
  addInit(program, answer);
  addSetUp(program, answer);
  addDoctor(program, answer);
  addDeploy(program, answer);
  addCustomer(program, answer);
  addImport(program, answer);
  addCatalog(program, answer);
  addKeys(program, answer);
  addReport(program, answer);
  addReconcile(program, answer);
  addBackup(program, answer);
  return program;
}

function addSetUp(program: Command, answer: Answer): void {
  const command = program
    .command('setup')
    .summary('bring the catalog, the portal and the webhook endpoint to Stripe')
    .description(
      'Brings prices, the customer portal and the webhook endpoint at Stripe, or at the simulator, to what the service\nneeds. Repeatable: a second run changes nothing.',
    )
    .option('--endpoint <https url>', 'also register this webhook endpoint, https://…/billing/webhook')
    .option(
      '--live',
      'the live account, with the live key in PAYMENT_SECRET_KEY; without it the test key of .secret.local',
    )
    .action(async (options: { readonly endpoint?: string; readonly live?: true }) => {
      const { setUp } = await import('./stripe/set-up.ts');
      answer(await setUp({ endpoint: options.endpoint, isLive: options.live === true }));
    });
  explain(command, ['setup', 'setup --endpoint https://billing.example.com/billing/webhook'], {
    0: 'all of it is as the service needs',
    1: 'something is left for you, or the provider did not answer',
  });
}

function addDoctor(program: Command, answer: Answer): void {
  const command = program
    .command('doctor')
    .summary('say what is set up and what is not')
    .description(
      'Checks settings, keys, portal, endpoint, rules and claims, and the catalogue of file, provider, published version\nand extension, one line each: of the suite that runs here, on any ports, or of one that it starts for this. With\n--project, of a deployment: its settings, Stripe, the published catalogue and whether the function answers.',
    )
    .option(
      '--endpoint <https url>',
      "the deployed service's webhook address, to see whether the provider sends its events there",
    )
    .option('--extension <folder>', 'an extension or its build; without it extension/dist, if that is built')
    .option('--project <id>', PROJECT)
    .action(async (options: DoctorOptions) => {
      const { doctor } = await import('./doctor/doctor.ts');
      answer(await doctor(options));
    });
  explain(command, ['doctor', 'doctor --extension ../my-extension', 'doctor --project my-shop-1'], {
    0: 'everything is in order',
    1: 'something needs you, or no suite could be brought up',
  });
}

function addDeploy(program: Command, answer: Answer): void {
  const command = program
    .command('deploy')
    .summary('deploy function, rules, indexes and return pages')
    .description(
      'Checks settings, secrets and what the project has already, then deploys function, rules, indexes and pages.',
    )
    .option('--project <id>', 'the Firebase project; without it the one that "firebase use" chose')
    .option(
      '--site <id>',
      'the Hosting site of the return pages; without it the one that BILLING_SUCCESS_URL names',
    )
    .option('--no-hosting', 'deploy no pages: you serve public/billing at that address yourself')
    .option('--replace', 'go on where the project has rules, a website or functions that would be replaced')
    .option('--dry-run', 'check everything and print the steps, and carry out none')
    .action(
      async (options: {
        readonly project?: string;
        readonly site?: string;
        readonly hosting: boolean;
        readonly replace?: true;
        readonly dryRun?: true;
      }) => {
        const { deploy } = await import('./deploy/deploy.ts');
        answer(
          await deploy({
            project: options.project,
            site: options.hosting ? options.site : null,
            mayReplace: options.replace === true,
            isDryRun: options.dryRun === true,
          }),
        );
      },
    );
  explain(command, ['deploy --project my-shop-1 --dry-run', 'deploy --project my-shop-1'], {
    0: 'deployed, and the function answers; after --dry-run: nothing stands in the way',
    1: 'something stands in the way, or a step failed',
  });
}

function addCatalog(program: Command, answer: Answer): void {
  const catalog = program
    .command('catalog')
    .summary('publish what is sold, and bring an earlier version back')
    .description(
      'Publishes billing.config.ts: in force for every function and extension within a minute, without a deployment.\nWho has bought something keeps what was sold to them.',
    );
  const dryRun = ['--dry-run', 'show everything, and change nothing'] as const;
  const yes = ['--yes', 'ask nothing'] as const;
  const statuses = {
    0: 'it is done, or there is nothing to do',
    1: 'nothing was changed; the reason is printed',
  };

  const push = catalog
    .command('push')
    .summary('publish billing.config.ts')
    .description('Shows what changes and who is affected, asks, and publishes the file as the next version.')
    .option(...dryRun)
    .option(...yes)
    .option('--anyway', 'go on where a change contradicts what was sold or what is installed')
    .option('--no-provider', "do not compare with the provider's prices first")
    .option('--note <text>', 'why, for "billing catalog list"')
    .option('--project <id>', PROJECT)
    .action(
      async (options: {
        readonly dryRun?: true;
        readonly yes?: true;
        readonly anyway?: true;
        readonly provider: boolean;
        readonly note?: string;
        readonly project?: string;
      }) => {
        const { push } = await import('./catalog/catalog.ts');
        const { dryRun, yes, anyway, provider, note, project } = options;
        const asked = { dryRun: dryRun === true, yes: yes === true, anyway: anyway === true };
        answer(await push({ ...asked, provider, note: note ?? null, project }));
      },
    );
  explain(
    push,
    ['catalog push --dry-run', 'catalog push --note "chat costs 2" --project my-shop-1'],
    statuses,
  );

  const list = catalog
    .command('list')
    .summary('every version, and which is in force')
    .option('--project <id>', PROJECT)
    .action(async ({ project }: { readonly project?: string }) => {
      const { list } = await import('./catalog/catalog.ts');
      answer(await list(project));
    });
  explain(list, ['catalog list'], { 0: 'they are listed' });

  const rollback = catalog
    .command('rollback')
    .summary('put an earlier version in force again')
    .argument('[version]', 'its number; without it the one before', parseVersion)
    .option(...dryRun)
    .option(...yes)
    .option('--project <id>', PROJECT)
    .action(
      async (
        version: number | undefined,
        options: { readonly dryRun?: true; readonly yes?: true; readonly project?: string },
      ) => {
        const { rollBack } = await import('./catalog/catalog.ts');
        const { dryRun, yes, project } = options;
        answer(await rollBack(version ?? null, { dryRun: dryRun === true, yes: yes === true, project }));
      },
    );
  const migrate = catalog
    .command('migrate')
    .summary('move old buyers of a plan to what is sold now')
    .description(
      'Lists the subscriptions of a plan whose buyers have something else than a version sells, and moves them with --apply:\nentitlements at once, credits with the next period (more of them at once), the price never. Lifetime plans and packs stay as they were sold.',
    )
    .requiredOption('--plan <lookup key>', 'the plan that was bought')
    .option('--from <version>', 'only those to whom this version was sold', parseVersion)
    .option('--to <version>', 'what they get; without it what is in force', parseVersion)
    .option('--apply', 'move them; without it they are only listed')
    .option('--project <id>', PROJECT)
    .action(
      async (options: {
        readonly plan: string;
        readonly from?: number;
        readonly to?: number;
        readonly apply?: true;
        readonly project?: string;
      }) => {
        const { migrate } = await import('./catalog/migrate.ts');
        const { plan, from = null, to = null, apply, project } = options;
        answer(await migrate({ plan, from, to, apply: apply === true, project }));
      },
    );
  explain(
    migrate,
    ['catalog migrate --plan pro_monthly', 'catalog migrate --plan pro_monthly --from 3 --apply'],
    {
      0: 'they are listed, or moved',
      1: 'there is no such version, or no such plan in it',
    },
  );
  explain(rollback, ['catalog rollback', 'catalog rollback 3 --dry-run'], statuses);
}

function parseVersion(text: string): number {
  const version = Number(text);
  if (!Number.isSafeInteger(version) || version < 1) throw new InvalidArgumentError('It is no version.');
  return version;
}

function addReport(program: Command, answer: Answer): void {
  const command = program
    .command('report')
    .summary('what was sold and spent')
    .description(
      'What was sold, granted and spent by day (UTC), and what customers hold. Names no user. Days that the service has\nadded up (the job summarizeDays) are one read each; others are read from the ledgers of all accounts.',
    )
    .option('--from <day>', 'the first day, as 2026-11-21, in UTC; without it the last 30 days')
    .option('--to <day>', 'the last day, included')
    .option('--live', 'also read the ledgers for today, which is not over')
    .option('--resume', 'go on with the run that was stopped with Ctrl-C')
    .option('--html <file>', 'also write a page with charts into this file')
    .option('--json', 'print the figures as JSON instead of tables')
    .option(
      '--project <id>',
      'a Firebase project of yours, with your application default credentials; without it the suite that runs on this machine',
    )
    .action(
      async (options: {
        readonly from?: string;
        readonly to?: string;
        readonly live?: true;
        readonly resume?: true;
        readonly html?: string;
        readonly json?: true;
        readonly project?: string;
      }) => {
        const now = Date.now();
        const { from, to, html, project } = options;
        const range = parseUsageRange(from, to, now);
        if (typeof range === 'string') return command.error(`--${range}`);
        const { report } = await import('./report/report.ts');
        const asked = { range, from, to, now, html, project, asJson: options.json === true };
        answer(await report({ ...asked, live: options.live === true, resume: options.resume === true }));
      },
    );
  explain(
    command,
    [
      'report',
      'report --live',
      'report --from 2026-11-01 --to 2026-11-30 --html november.html --project my-shop-1',
    ],
    {
      0: 'the figures are printed',
      2: 'the args are wrong, or the figures could not be read',
      [STOPPED]: 'it was stopped: --resume goes on',
    },
  );
}

function addReconcile(program: Command, answer: Answer): void {
  const command = program
    .command('reconcile')
    .summary('find where this service and the provider differ, and repair it')
    .description(
      'Compares users, and the events that could not be delivered, with the provider. Writes nothing without --apply.',
    )
    .argument('[uid]', 'one user; without it all of them', parseUser)
    .option('--apply', 'write what differs')
    .option(
      '--rebuild',
      "first take in the provider's customers that are not known here: after a loss of the database",
    )
    .option('--resume', 'go on with a run that was stopped')
    .option('--project <id>', PROJECT)
    .action(
      async (
        uid: Uid | undefined,
        options: {
          readonly apply?: true;
          readonly rebuild?: true;
          readonly resume?: true;
          readonly project?: string;
        },
      ) => {
        const { reconcile } = await import('./reconcile/reconcile.ts');
        const { apply, rebuild, resume, project } = options;
        const chosen = { apply: apply === true, rebuild: rebuild === true, resume: resume === true, project };
        answer(await reconcile({ uid: uid ?? null, ...chosen }));
      },
    );
  explain(command, ['reconcile', 'reconcile --apply', 'reconcile Qd6aWbIeU5 --project my-shop-1'], {
    0: 'nothing differs, or nothing does any more',
    1: 'something differs',
    2: 'the args are wrong, or not everything could be compared',
    130: 'it was stopped, and has said how to go on',
  });
}

function addBackup(program: Command, answer: Answer): void {
  const statuses = {
    0: 'it is done',
    2: 'the args are wrong, or it could not be done; the message says why',
    [STOPPED]: 'it was stopped: --resume goes on',
  };
  const resume = ['--resume', 'go on with the run that was stopped with Ctrl-C'] as const;
  const about =
    'For the suite that runs on this machine (npm start); docs/operating.md says what to do in production.';
  const backup = program
    .command('backup')
    .summary('copy the local suite’s data into a folder')
    .description(`Writes Firestore, the auth users and the simulator's state into a new folder.\n${about}`)
    .argument('<folder>', 'a folder that is not there yet')
    .option(...resume)
    .action(async (folder: string, options: { readonly resume?: true }) => {
      const { backUpInto } = await import('./backup/backup.ts');
      answer(await backUpInto({ folder, resume: options.resume === true }));
    });
  explain(backup, ['backup monday', 'backup monday --resume'], statuses);
  const restore = program
    .command('restore')
    .summary('put a backup in place of the local suite’s data')
    .description(`Puts a backup in place of everything that the suite holds.\n${about}`)
    .argument('<folder>', 'what "billing backup" wrote')
    .option(...resume)
    .action(async (folder: string, options: { readonly resume?: true }) => {
      const { restoreFrom } = await import('./backup/backup.ts');
      answer(await restoreFrom({ folder, resume: options.resume === true }));
    });
  explain(restore, ['restore monday'], statuses);
}

function parseUser(name: string): Uid {
  const uid = parseUid(name);
  if (uid === null) throw new InvalidArgumentError('It can be no uid.');
  return uid;
}

import { type Command, InvalidArgumentError } from 'commander';
import { type Answer, explain, PROJECT } from '../support/explain.ts';

/** `billing catalog`: publishes what is sold. */
export function addCatalog(program: Command, answer: Answer): void {
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
        const { push } = await import('./catalog.ts');
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
      const { list } = await import('./catalog.ts');
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
        const { rollBack } = await import('./catalog.ts');
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
        const { migrate } = await import('./migrate.ts');
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

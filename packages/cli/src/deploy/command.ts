import type { Command } from 'commander';
import { type Answer, explain } from '../support/explain.ts';

/** `billing deploy`: deploys function, rules, indexes and pages. */
export function addDeploy(program: Command, answer: Answer): void {
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
        const { deploy } = await import('./deploy.ts');
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

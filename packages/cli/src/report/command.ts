import type { Command } from 'commander';
import { parseUsageRange } from '../../../../functions/src/credits/usage.ts';
import { type Answer, explain } from '../support/explain.ts';
import { STOPPED } from '../support/resume.ts';

/** `billing report`: prints what was sold and spent. */
export function addReport(program: Command, answer: Answer): void {
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
        const { report } = await import('./report.ts');
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

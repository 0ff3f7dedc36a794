import type { Command } from 'commander';
import { type Answer, explain, PROJECT } from '../support/explain.ts';

/** `billing compact`: what the scheduled function does, now. What it does is loaded when it is called. */
export function addCompact(program: Command, answer: Answer): void {
  const command = program
    .command('compact')
    .summary('compress old ledger entries')
    .description(
      'Rolls ledger entries older than BILLING_LEDGER_DAYS (100) into compressed pages, by whole months, as the\nscheduled function compactLedgers does. It can be stopped, and goes on where it was.',
    )
    .option('--project <id>', PROJECT)
    .action(async ({ project }: { readonly project?: string }) => {
      const { compact } = await import('./compact.ts');
      answer(await compact(project));
    });
  explain(command, ['compact', 'compact --project my-shop-1'], {
    0: 'the round is through, or there was nothing to do',
    1: 'a ledger could not be rolled, or another run is at it',
    130: 'it was stopped',
  });
}

import type { Command } from 'commander';
import { type Answer, explain } from '../support/explain.ts';

/** `billing backup` and `billing restore`, for the local suite. */
export function addBackup(program: Command, answer: Answer): void {
  const statuses = {
    0: 'it is done',
    2: 'the args are wrong, or it could not be done; the message says why',
  };
  const about =
    'For the suite that runs on this machine (npm start); docs/operating.md says what to do in production.';
  const backup = program
    .command('backup')
    .summary('copy the local suite’s data into a folder')
    .description(`Writes Firestore, the auth users and the simulator's state into a new folder.\n${about}`)
    .argument('<folder>', 'a folder that is not there yet')
    .action(async (folder: string) => {
      const { backUpInto } = await import('./backup.ts');
      await backUpInto(folder);
      answer(0);
    });
  explain(backup, ['backup monday'], statuses);
  const restore = program
    .command('restore')
    .summary('put a backup in place of the local suite’s data')
    .description(`Puts a backup in place of everything that the suite holds.\n${about}`)
    .argument('<folder>', 'what "billing backup" wrote')
    .action(async (folder: string) => {
      const { restoreFrom } = await import('./backup.ts');
      await restoreFrom(folder);
      answer(0);
    });
  explain(restore, ['restore monday'], statuses);
}

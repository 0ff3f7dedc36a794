import { type Command, InvalidArgumentError } from 'commander';
import { parseUid, type Uid } from '../../../../functions/src/store/documents.ts';
import { type Answer, explain, PROJECT } from '../support/explain.ts';

/** `billing reconcile`: compares with the provider. */
export function addReconcile(program: Command, answer: Answer): void {
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
        const { reconcile } = await import('./reconcile.ts');
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

function parseUser(name: string): Uid {
  const uid = parseUid(name);
  if (uid === null) throw new InvalidArgumentError('It can be no uid.');
  return uid;
}

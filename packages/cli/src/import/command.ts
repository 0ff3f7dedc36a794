import type { Millis } from '@extension-billing/contract/customer';
import { DAY } from '@extension-billing/contract/time';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Answer, explain, PROJECT } from '../support/explain.ts';
import { SOURCES, type Source } from './person.ts';

/** What of an import's command is typed, whichever the source. */
interface ImportOptions {
  readonly map?: ReadonlyMap<string, string>;
  readonly only?: string;
  readonly trustMail?: true;
  readonly anyway?: true;
  readonly apply?: true;
  readonly project?: string;
}

/** `billing import`: takes the users of another service over. What it does is loaded when it is called. */
export function addImport(program: Command, answer: Answer): void {
  const command = program
    .command('import')
    .summary('take over users and their rights from another service')
    .description(
      'Says what each user of another service will have here, and brings it with --apply. Running subscriptions go on at\nStripe as they are. Repeatable; "import undo" takes it back (docs/coming-from.md).',
    );
  addExtensionPay(command, answer);
  addFirebaseExtension(command, answer);
  addUndo(command, answer);
}

const STATUSES = {
  0: 'everybody has what they have there; without --apply: or would have',
  1: 'somebody needs a decision of yours; the lines say who and which',
  2: 'the args are wrong, or something could not be looked at',
};

function addExtensionPay(command: Command, answer: Answer): void {
  const extensionPay = common(command.command('extensionpay'))
    .description(
      'who has paid through ExtensionPay into your Stripe account, and who is in a list of your users',
    )
    .option('--users <file>', 'users as its getUser() answers them: JSON, JSON by the line, or CSV')
    .option(
      '--trial <days>',
      'how long your trial is, for those in the file whose trial is under way',
      parseDays,
    )
    .option('--trust-mail', 'who signs in here with a mail address counts as its owner, proven or not')
    .action(async (options: ImportOptions & { readonly users?: string; readonly trial?: Millis }) => {
      const { importPeople } = await import('./import.ts');
      const { users: file = null, trial = null } = options;
      const asked = askedOf('extensionpay', options);
      answer(await importPeople(asked, { kind: 'extensionpay', file, trial }));
    });
  explain(
    extensionPay,
    [
      'import extensionpay',
      'import extensionpay --users users.json --trial 7d --map pro=pro_monthly',
      'import extensionpay --users users.json --apply --project my-shop-1',
    ],
    STATUSES,
  );
}

function addFirebaseExtension(command: Command, answer: Answer): void {
  const extension = common(command.command('firestore-stripe-payments'))
    .description('the users of the Firebase extension firestore-stripe-payments in the same project')
    .option('--collection <path>', 'where it keeps its customers', 'customers')
    .action(async (options: ImportOptions & { readonly collection: string }) => {
      const { importPeople } = await import('./import.ts');
      const { collection } = options;
      const asked = askedOf('firestore-stripe-payments', options);
      answer(await importPeople(asked, { kind: 'firestore-stripe-payments', collection }));
    });
  explain(
    extension,
    [
      'import firestore-stripe-payments',
      'import firestore-stripe-payments --map price_1GqIC8HY=pro_monthly --only Qd6aWbIeU5 --apply',
    ],
    STATUSES,
  );
}

function addUndo(command: Command, answer: Answer): void {
  const undo = command
    .command('undo')
    .description('take an import back: Stripe’s objects and the rights here are as they were')
    .addArgument(command.createArgument('<source>', 'what was imported').choices(SOURCES))
    .option('--only <uid>', 'one user')
    .option('--apply', 'do it; without it say what would be undone')
    .option('--project <id>', PROJECT)
    .action(async (source: Source, { only = null, apply, project }: UndoOptions) => {
      const { undoImport } = await import('./import.ts');
      answer(await undoImport(source, { only, apply: apply === true, project }));
    });
  explain(undo, ['import undo extensionpay', 'import undo firestore-stripe-payments --apply'], {
    0: 'it is undone, or would be',
    2: 'the args are wrong, or something could not be looked at',
  });
}

interface UndoOptions {
  readonly only?: string | null;
  readonly apply?: true;
  readonly project?: string;
}

function common(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--map <theirs=yours>',
        'what a price there is here: price, product, nickname or role = a lookup key, or "nothing"; may be repeated',
      ).argParser(parseMapped),
    )
    .option('--only <uid-or-mail>', 'one user')
    .option('--anyway', 'bring the rest of somebody of whom not everything can be brought')
    .option('--apply', 'do it; without it say what each user will have')
    .option('--project <id>', PROJECT);
}

function askedOf(source: Source, options: ImportOptions) {
  const { map = new Map<string, string>(), only = null, trustMail, anyway, apply, project } = options;
  return {
    ...{ source, chosen: map, only, project },
    trustsMail: trustMail === true,
    anyway: anyway === true,
    apply: apply === true,
  };
}

function parseMapped(
  text: string,
  before: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> {
  const at = text.lastIndexOf('=');
  if (at < 1 || at === text.length - 1) throw new InvalidArgumentError('Write it as price_1Abc=pro_monthly.');
  return new Map([...before, [text.slice(0, at), text.slice(at + 1)]]);
}

function parseDays(text: string): Millis {
  const [, days] = /^(\d{1,4})d?$/.exec(text) ?? [];
  if (days === undefined) throw new InvalidArgumentError('Write it in days, as 7d.');
  return Number(days) * DAY;
}

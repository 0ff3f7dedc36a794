import type { Millis } from '@extension-billing/contract/customer';
import { DAY } from '@extension-billing/contract/time';
import { type Command, InvalidArgumentError } from 'commander';
import { parseUid } from '../../../../functions/src/store/documents.ts';
import { type Answer, explain, PROJECT } from '../support/explain.ts';
import { STOPPED } from '../support/resume.ts';

/** More credits than this at once are asked about first. */
const LARGE = 1_000;
const MAIL = /^[^\s@]+@[^\s@]+$/;
const who = ['<uid-or-mail>', 'whom it is about', parseWho] as const;

/** `billing customer`: what is known of one user, and what is given by hand. What a command does is loaded when it is called. */
export function addCustomer(program: Command, answer: Answer): void {
  const command = program
    .command('customer')
    .summary('show, export or erase what is known of one user')
    .description(
      'What the service, Firebase and the provider know of one user. "customer <uid-or-mail>" is short for "customer show".',
    )
    .option('--project <id>', PROJECT);
  const show = command
    .command('show', { isDefault: true })
    .description('show record, ledger, facts and the provider’s view, and whether they agree')
    .argument(...who)
    .action(async (whom: string, options: object, { parent }: Command) => {
      const { customer } = await import('./customer.ts');
      answer(await customer({ verb: 'show', who: whom, ...options, project: parent?.opts().project }));
    });
  explain(show, ['customer ada@example.com', 'customer Qd6aWbIeU5 --project my-shop-1'], {
    0: 'everything agrees',
    1: 'something does not agree, or nobody was found',
    2: 'the args are wrong, or it could not be looked at',
  });
  const exported = command
    .command('export')
    .description('write all of it as JSON, for the user to have')
    .argument(...who)
    .requiredOption('--file <file>', 'where to write it; only you may read it')
    .option('--resume', 'go on with the run that was stopped with Ctrl-C')
    .action(
      async (
        whom: string,
        { file, resume }: { readonly file: string; readonly resume?: true },
        { parent }: Command,
      ) => {
        const { customer } = await import('./customer.ts');
        const asked = { file, resume: resume === true, project: parent?.opts().project };
        answer(await customer({ verb: 'export', who: whom, ...asked }));
      },
    );
  explain(exported, ['customer export ada@example.com --file ada.json'], {
    0: 'it is written',
    1: 'nobody was found',
    [STOPPED]: 'it was stopped: --resume goes on',
  });
  const erase = command
    .command('erase')
    .description(
      'end what charges, delete the sign-in, keep the books; without --apply say what would be done',
    )
    .argument(...who)
    .option('--apply', 'do it')
    .action(async (whom: string, options: { readonly apply?: true }, { parent }: Command) => {
      const { customer } = await import('./customer.ts');
      const apply = options.apply === true;
      answer(await customer({ verb: 'erase', who: whom, apply, project: parent?.opts().project }));
    });
  explain(erase, ['customer erase ada@example.com', 'customer erase ada@example.com --apply'], {
    0: 'it is done, or would be',
    1: 'nobody was found',
  });
  addGrants(command, answer);
}

/** What of a grant's command is typed. */
interface GrantOptions {
  readonly credits?: number;
  readonly expires?: Millis;
  readonly entitlement?: string;
  readonly until?: Millis;
  readonly reason: string;
  readonly actor?: string;
  readonly yes?: true;
}

function addGrants(command: Command, answer: Answer): void {
  const reason = [
    '--reason <text>',
    'why, for the audit record; the user does not see it',
    parseReason,
  ] as const;
  const actor = [
    '--actor <name>',
    'who does it; without it the account of gcloud, or your name on this machine',
    parseReason,
  ] as const;
  const statuses = { 0: 'it is done', 1: 'nothing was changed; the reason is printed' };
  const grant = command
    .command('grant')
    .description(
      'give credits, a complimentary plan, or both: a fact as a purchase is, with an audit record,\nwithin what one may give in a day (BILLING_GRANT_CREDITS_PER_DAY, BILLING_GRANTS_PER_DAY)',
    )
    .argument(...who)
    .option('--credits <number>', 'pack credits', parseCredits)
    .option('--expires <when>', 'when the credits end, as 30d or 2026-12-31; without it never', parseWhen)
    .option('--entitlement <name>', 'of the catalogue, with all that it includes; or "paid"')
    .option('--until <when>', 'when the complimentary plan ends, as 90d or 2026-12-31', parseWhen)
    .requiredOption(...reason)
    .option(...actor)
    .option('--yes', `do not ask, also for more than ${LARGE} credits`)
    .action(async (whom: string, options: GrantOptions, { parent }: Command) => {
      const { customer } = await import('./customer.ts');
      const { credits = 0, expires, entitlement = null, until = null, reason, actor = null, yes } = options;
      const ends = expires === undefined ? null : { at: expires };
      const asked = {
        credits,
        ends,
        entitlement,
        until,
        reason,
        actor,
        mayBeLarge: yes === true || credits <= LARGE,
      };
      answer(await customer({ verb: 'grant', who: whom, asked, project: parent?.opts().project }));
    });
  explain(
    grant,
    [
      'customer grant ada@example.com --credits 100 --reason "lost a day to our outage"',
      'customer grant Qd6aWbIeU5 --credits 50 --expires 30d --reason "beta tester"',
      'customer grant ada@example.com --entitlement paid --until 90d --reason "writes about us"',
    ],
    statuses,
  );
  const revoke = command
    .command('revoke')
    .description('take a grant back: what is left of its credits, and its complimentary plan')
    .argument(...who)
    .argument('<grant>', 'its id, as "customer show" has it')
    .requiredOption(...reason)
    .option(...actor)
    .action(
      async (
        whom: string,
        grant: string,
        options: Pick<GrantOptions, 'reason' | 'actor'>,
        { parent }: Command,
      ) => {
        const { customer } = await import('./customer.ts');
        const { reason, actor = null } = options;
        const asked = { grant, reason, actor };
        answer(await customer({ verb: 'revoke', who: whom, asked, project: parent?.opts().project }));
      },
    );
  explain(revoke, ['customer revoke ada@example.com hand_0123456789abcdef0123 --reason "a slip"'], statuses);
}

function parseWho(who: string): string {
  if (parseUid(who) === null && !MAIL.test(who))
    throw new InvalidArgumentError('It is neither uid nor mail.');
  return who;
}

/** So many days from now, or the end of a day in UTC. */
function parseWhen(text: string): Millis {
  const [, days] = /^(\d{1,5})d$/.exec(text) ?? [];
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  const when = days === undefined ? day + DAY : Date.now() + Number(days) * DAY;
  if (when > Date.now()) return when;
  throw new InvalidArgumentError('Write it as 30d, or as a day to come: 2026-12-31.');
}

function parseCredits(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a whole number, 1 or more.');
}

function parseReason(text: string): string {
  if (/\S/.test(text) && text.length <= 500) return text.trim();
  throw new InvalidArgumentError('Say it, in at most 500 characters.');
}

import { SCOPES, type Scope } from '@extension-billing/contract/callers';
import type { Millis } from '@extension-billing/contract/customer';
import { MINUTE } from '@extension-billing/contract/time';
import { type Command, InvalidArgumentError } from 'commander';
import { type Answer, explain, PROJECT } from '../support/explain.ts';

const STATUSES = { 0: 'it is done', 1: 'nothing was changed; the reason is printed' };
const UNITS: Readonly<Record<string, Millis>> = { m: MINUTE, h: 60 * MINUTE, d: 24 * 60 * MINUTE };
/** A secret that is replaced because it leaked must not go on for long. */
const LONGEST_OVERLAP: Millis = 30 * 24 * 60 * MINUTE;
const LONGEST_LIFE: Millis = 3_650 * 24 * 60 * MINUTE;

/** `billing keys`: what backends prove themselves by. What a command does is loaded when it is called. */
export function addKeys(program: Command, answer: Answer): void {
  const keys = program
    .command('keys')
    .summary('make, list, rotate and revoke the keys of your backends')
    .description(
      'Keys by which a backend of yours charges for its users. Only a hash is kept: a key is shown once, on standard\noutput, and nowhere else. A leaked one can do what its scopes say until you revoke it: docs/service-callers.md.',
    );
  const project = ['--project <id>', PROJECT] as const;
  const expires = (says: string) => ['--expires <time>', says, parseLife] as const;

  const create = keys
    .command('create')
    .summary('make a key')
    .requiredOption('--scope <scopes>', `what it may, with commas: ${SCOPES.join(', ')}`, parseScopes)
    .option('--name <name>', 'whose key it is, for "billing keys list"', parseName, '')
    .option(...expires('how long it opens, as 90d or 12h; without it for good'))
    .option(...project)
    .action(async (options: Options & { readonly scope: readonly Scope[]; readonly name: string }) => {
      const { createKey, openDesk } = await import('./keys.ts');
      const { scope, name, expires = null } = options;
      answer(await createKey(await openDesk(options.project), { name, scopes: scope, lasts: expires }));
    });
  explain(create, ['keys create --scope consume,hold --name worker --expires 90d'], STATUSES);

  const list = keys
    .command('list')
    .summary('every key: what it may, whether it opens, when it was last used')
    .option(...project)
    .action(async (options: Options) => {
      const { listKeys, openDesk } = await import('./keys.ts');
      answer(await listKeys(await openDesk(options.project)));
    });
  explain(list, ['keys list --project my-shop-1'], { 0: 'they are listed' });

  const rotate = keys
    .command('rotate')
    .summary('give a key another secret; the one before opens it a while longer')
    .argument('<id>', 'its id, as "billing keys list" has it', parseId)
    .option(
      '--overlap <time>',
      'how long the secret before goes on, as 24h, 30m or 0m',
      parseOverlap,
      UNITS.d,
    )
    .option(...expires('how long the key opens from now on; without it until it would have expired'))
    .option(...project)
    .action(async (id: string, options: Options & { readonly overlap: Millis }) => {
      const { rotateKey, openDesk } = await import('./keys.ts');
      const { overlap, expires = null } = options;
      answer(await rotateKey(await openDesk(options.project), id, { overlap, lasts: expires }));
    });
  explain(rotate, ['keys rotate k3v9q2m7x1ab', 'keys rotate k3v9q2m7x1ab --overlap 0m'], STATUSES);

  const revoke = keys
    .command('revoke')
    .summary('end a key within seconds')
    .argument('<id>', 'its id, as "billing keys list" has it', parseId)
    .option(...project)
    .action(async (id: string, options: Options) => {
      const { revokeKey, openDesk } = await import('./keys.ts');
      answer(await revokeKey(await openDesk(options.project), id));
    });
  explain(revoke, ['keys revoke k3v9q2m7x1ab --project my-shop-1'], STATUSES);
}

interface Options {
  readonly project?: string;
  readonly expires?: Millis;
}

function parseScopes(text: string): readonly Scope[] {
  const names = text.split(',').map((name) => name.trim());
  const scopes = names.flatMap((name) => SCOPES.filter((scope) => scope === name));
  if (scopes.length === names.length) return scopes;
  throw new InvalidArgumentError(`Name some of ${SCOPES.join(', ')}.`);
}

function parseName(text: string): string {
  if (/^[\p{L}\p{N} ._-]{0,64}$/u.test(text)) return text;
  throw new InvalidArgumentError('It has 64 letters, digits, spaces, ".", "_" and "-" at most.');
}

/** A key that is pasted here in whole counts by its id: an error would repeat it. */
function parseId(text: string): string {
  const [, id] = /^(?:ebk_)?([a-z0-9]{12})(?:_.*)?$/s.exec(text) ?? [];
  if (id !== undefined) return id;
  throw new InvalidArgumentError(
    'An id has 12 letters and digits: the part between "ebk_" and the next "_".',
  );
}

function parseLife(text: string): Millis {
  return parseTime(text, MINUTE, LONGEST_LIFE);
}

function parseOverlap(text: string): Millis {
  return parseTime(text, 0, LONGEST_OVERLAP);
}

function parseTime(text: string, least: Millis, most: Millis): Millis {
  const [, count, unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  const time = Number(count) * (UNITS[unit] ?? Number.NaN);
  if (time >= least && time <= most) return time;
  throw new InvalidArgumentError(`Write it as 30m, 24h or 90d, at most ${most / (UNITS.d ?? 1)}d.`);
}

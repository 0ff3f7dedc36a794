import { parseArgs } from 'node:util';
import { parseUid } from '../../../../functions/src/domain/uid.ts';
import { answerHelp } from '../../../../tools/args.ts';
import { CannotConnect } from '../support/connect.ts';

const USAGE = `usage: npm run customer -- <uid or mail>                      what is known of a user, and whether it agrees
       npm run customer -- export <uid or mail> --file <file>  all of it as JSON, for the user to have
       npm run customer -- erase <uid or mail> [--apply]       ends what charges, deletes the sign-in, keeps the books
       each with --project <id> for a Firebase project of yours`;

/** What `npm run customer` was asked for. */
export type Asked = { readonly who: string; readonly project: string | undefined } & (
  | { readonly verb: 'show' }
  | { readonly verb: 'export'; readonly file: string }
  | { readonly verb: 'erase'; readonly apply: boolean }
);

const MAIL = /^[^\s@]+@[^\s@]+$/;

/** @throws CannotConnect with the usage, where the words do not fit together. */
export function readWords(words: readonly string[]): Asked {
  answerHelp(words, USAGE);
  const { values, positionals } = parse(words);
  const { project, file, apply } = values;
  const [first, second, ...more] = positionals;
  const who = second ?? first ?? '';
  if ((parseUid(who) === null && !MAIL.test(who)) || more.length > 0) throw new CannotConnect(USAGE);
  const verb = second === undefined ? 'show' : first;
  if (verb === 'show' && file === undefined && !apply) return { verb, who, project };
  if (verb === 'export' && file !== undefined && !apply) return { verb, who, project, file };
  if (verb === 'erase' && file === undefined) return { verb, who, project, apply };
  throw new CannotConnect(USAGE);
}

function parse(words: readonly string[]) {
  const text = { type: 'string' } as const;
  const options = { project: text, file: text, apply: { type: 'boolean', default: false } } as const;
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true });
  } catch {
    throw new CannotConnect(USAGE);
  }
}

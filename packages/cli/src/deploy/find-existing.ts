import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FUNCTION_NAME } from '../../../../tools/suite/settings.ts';
import { type Finding, fine, problem } from '../doctor/finding.ts';
import type { Shell } from './carry-out.ts';
import { parseAnswer } from './parse-answer.ts';
import { CODEBASE, LIST_FUNCTIONS, PRINT_RULES } from './steps.ts';

/** A script that only this service's return pages load: by it they are told from another website. */
const OWN_PAGE = 'tell-extension.js';

export interface Target {
  readonly root: string;
  readonly project: string;
  /** The Hosting site of the return pages; null where they are served elsewhere. */
  readonly site: string | null;
}

/**
 * What a deployment would replace in the project: rules and a website that are not this service's, and functions of
 * another codebase by the same name. Everything else there stays, and is said.
 */
export async function findExisting(
  { root, project, site }: Target,
  shell: Shell,
): Promise<readonly Finding[]> {
  const own = readFileSync(join(root, 'firestore.rules'), 'utf8');
  return [
    rulesFinding(own, shell.ask([...PRINT_RULES, project])),
    ...functionFindings(shell.ask([...LIST_FUNCTIONS, project])),
    ...(site === null ? [] : [await siteFinding(site, shell)]),
  ];
}

type Answer = ReturnType<Shell['ask']>;

function rulesFinding(own: string, answer: Answer): Finding {
  const found = parseAnswer(answer);
  if (found === null || !('rules' in found)) return unseen('the Firestore rules', answer);
  const { rules } = found;
  if (typeof rules !== 'string' || deniesAll(rules)) return fine('replaces: no Firestore rules of yours');
  if (bare(rules) === bare(own)) return fine('replaces: nothing, the Firestore rules are these already');
  const paths = [...bare(rules).matchAll(/match (\/[^{\s]+(?:\{[^}]*\}[^{\s]*)*)/g)].map(
    ([, path = '']) => path,
  );
  return problem(
    `replaces: the Firestore rules of the project, which are others (${paths.join(', ') || 'no match'})`,
    'Put what you need of them into firestore.rules here, or let them go with --replace.',
  );
}

function functionFindings(answer: Answer): readonly Finding[] {
  const found = parseAnswer(answer);
  const result = found !== null && 'result' in found && Array.isArray(found.result) ? found.result : null;
  if (result === null) return [unseen('the functions', answer)];
  const others = result.flatMap((each: unknown) => {
    if (typeof each !== 'object' || each === null || !('id' in each)) return [];
    const codebase = 'codebase' in each && typeof each.codebase === 'string' ? each.codebase : 'default';
    return codebase === CODEBASE ? [] : [{ id: String(each.id), codebase }];
  });
  const taken = others.filter(({ id }) => id === FUNCTION_NAME || id === 'reconcileDaily');
  const kept = others.filter((each) => !taken.includes(each)).map(({ id }) => id);
  return [
    ...taken.map(({ id, codebase }) =>
      problem(
        `replaces: the function ${id} of the codebase "${codebase}"`,
        'One that this service deployed before may go, with --replace. Give yours another name.',
      ),
    ),
    fine(kept.length === 0 ? 'keeps: no other functions' : `keeps: the functions ${kept.join(', ')}`),
  ];
}

async function siteFinding(site: string, { read }: Shell): Promise<Finding> {
  const address = `https://${site}.web.app`;
  const [pages, front] = await Promise.all([read(`${address}/billing/success.html`), read(`${address}/`)]);
  if (pages?.includes(OWN_PAGE)) return fine(`replaces: nothing, ${address} has these return pages already`);
  if (front === null) return fine(`replaces: no website, ${address} is empty`);
  return problem(
    `replaces: the website at ${address}`,
    'Name another Hosting site with --site <id>, serve public/billing there yourself with --no-hosting, or let it go with --replace.',
  );
}

function unseen(what: string, { stderr }: Answer): Finding {
  const why = stderr.trim().split('\n')[0] || 'no answer';
  return problem(
    `replaces: ${what} of the project cannot be looked at (${why})`,
    'Sign in with "firebase login", or deploy unseen with --replace.',
  );
}

/** Rules without comments and white space. */
function bare(rules: string): string {
  return rules
    .replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** What a new database begins with: nobody may do anything. */
function deniesAll(rules: string): boolean {
  const allowed = [...bare(rules).matchAll(/allow [^;]*;/g)].map(([text]) => text);
  return allowed.every((text) => /: ?if false ?;$/.test(text));
}

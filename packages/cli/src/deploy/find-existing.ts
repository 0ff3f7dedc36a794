import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Finding, fine, problem } from '../doctor/check-settings.ts';
import { FUNCTION_NAME } from '../local/suite.ts';
import type { Shell } from './deploy.ts';
import { CODEBASE, LIST_FUNCTIONS, PRINT_INDEXES, PRINT_RULES } from './steps.ts';

/** A script that only this service's return pages load: it sets them apart from another website. */
const OWN_PAGE = 'tell-extension.js';

interface Target {
  readonly root: string;
  readonly project: string;
  /** The Hosting site of the return pages; null where they are served elsewhere. */
  readonly site: string | null;
}

/**
 * What a deployment would replace in the project: rules, index settings of fields and a website that are not this
 * service's, and functions of another codebase by the same name. Everything else there stays, and is listed.
 */
export async function findExisting(
  { root, project, site }: Target,
  shell: Shell,
): Promise<readonly Finding[]> {
  const own = readFileSync(join(root, 'firestore.rules'), 'utf8');
  return [
    rulesFinding(own, shell.ask([...PRINT_RULES, project])),
    indexFinding(join(root, 'firestore.indexes.json'), shell.ask([...PRINT_INDEXES, project])),
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

/** Which indexes one field has instead of the automatic ones, as firestore.indexes.json writes it. */
interface FieldOverride {
  readonly collectionGroup: string;
  readonly fieldPath: string;
  readonly ttl?: boolean;
  readonly indexes?: readonly {
    readonly queryScope?: string;
    readonly order?: string;
    readonly arrayConfig?: string;
  }[];
}

function indexFinding(file: string, answer: Answer): Finding {
  const found = parseAnswer(answer);
  const spec: unknown = found !== null && 'result' in found ? found.result : null;
  if (typeof spec !== 'object' || spec === null) return unseen('the Firestore indexes', answer);
  const own = new Map(
    overridesIn(JSON.parse(readFileSync(file, 'utf8'))).map((each) => [nameOf(each), each]),
  );
  const replaced = overridesIn(spec).filter((each) => {
    const ours = own.get(nameOf(each));
    return ours !== undefined && settingOf(ours) !== settingOf(each);
  });
  if (replaced.length === 0) return fine('replaces: no index settings of yours');
  return problem(
    `replaces: the index settings of ${replaced.map(nameOf).join(', ')}`,
    'Queries of yours by these fields may fail afterwards. Put the settings into firestore.indexes.json here, or let them go with --replace.',
  );
}

function overridesIn(spec: object): readonly FieldOverride[] {
  return 'fieldOverrides' in spec && Array.isArray(spec.fieldOverrides) ? spec.fieldOverrides : [];
}

const nameOf = ({ collectionGroup, fieldPath }: FieldOverride): string => `${collectionGroup}.${fieldPath}`;

/** The same text for the same setting, whatever its order and whatever is left out. */
function settingOf({ ttl = false, indexes = [] }: FieldOverride): string {
  const each = indexes.map(({ queryScope = 'COLLECTION', order, arrayConfig }) =>
    [queryScope, order ?? arrayConfig].join(' '),
  );
  return [ttl, ...each.toSorted()].join();
}

/** The functions that are deployed (functions/src/index.ts). */
const OURS: ReadonlySet<string> = new Set([FUNCTION_NAME, 'reconcileDaily', 'summarizeDays']);

function functionFindings(answer: Answer): readonly Finding[] {
  const found = parseAnswer(answer);
  const result = found !== null && 'result' in found && Array.isArray(found.result) ? found.result : null;
  if (result === null) return [unseen('the functions', answer)];
  const others = result.flatMap((each: unknown) => {
    if (typeof each !== 'object' || each === null || !('id' in each)) return [];
    const codebase = 'codebase' in each && typeof each.codebase === 'string' ? each.codebase : 'default';
    return codebase === CODEBASE ? [] : [{ id: String(each.id), codebase }];
  });
  const taken = others.filter(({ id }) => OURS.has(id));
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

/** A role that the functions' service account needs, and the wider ones of Google's that hold it. */
interface NeededRole {
  readonly role: string;
  readonly why: string;
  readonly heldBy: readonly string[];
}

/** Each of these may do all that is asked here. */
const ALL = ['roles/owner', 'roles/editor'];

/** By Google's tables of roles; docs/going-live.md, section 5, says the same to a reader. */
export const NEEDED_ROLES: readonly NeededRole[] = [
  {
    role: 'roles/datastore.user',
    why: 'reads and writes records',
    heldBy: ['roles/datastore.owner', 'roles/firebase.admin', 'roles/firebase.developAdmin'],
  },
  {
    role: 'roles/firebaseauth.admin',
    why: 'sets the claim paid, looks at sessions, deletes accounts',
    heldBy: ['roles/firebase.admin', 'roles/firebase.developAdmin', 'roles/firebase.sdkAdminServiceAgent'],
  },
  {
    role: 'roles/serviceusage.serviceUsageConsumer',
    why: 'lets calls to Firebase Authentication count for the project',
    heldBy: ['roles/serviceusage.serviceUsageAdmin'],
  },
  {
    role: 'roles/cloudbuild.builds.builder',
    why: 'builds what is uploaded',
    heldBy: [],
  },
];

/**
 * Which roles the account that the functions run and are built as does not have. Only what the project itself gives is
 * seen: a role may also come from its folder, its organisation or a group, so a finding is to be read, not to refuse by.
 */
export function checkRoles(answer: ReturnType<Shell['ask']>, project: string): readonly Finding[] {
  const found = parseAnswer(answer);
  if (found === null || !('account' in found) || !('roles' in found) || !Array.isArray(found.roles)) {
    const why = answer.stderr.trim().split('\n')[0] || 'no answer';
    return [
      problem(
        `roles: those of the functions' service account cannot be looked at (${why})`,
        'docs/going-live.md, section 5, lists what it needs where it is no Editor.',
      ),
    ];
  }
  const { account } = found;
  const roles: readonly unknown[] = found.roles;
  const missing = NEEDED_ROLES.filter(
    ({ role, heldBy }) => ![role, ...heldBy, ...ALL].some((one) => roles.includes(one)),
  );
  if (missing.length === 0) return [fine(`roles: ${account} has what it needs (${roles.join(', ')})`)];
  return missing.map(({ role, why }) =>
    problem(
      `roles: ${account} has no ${role} in the project, which ${why}`,
      `Unless it comes from a folder, a group or the organisation: gcloud projects add-iam-policy-binding ${project} --member serviceAccount:${account} --role ${role}`,
    ),
  );
}

/** The JSON that a command printed, from its first brace on; null where it failed or printed none. */
function parseAnswer({ status, stdout }: ReturnType<Shell['ask']>): object | null {
  if (status !== 0) return null;
  try {
    const value: unknown = JSON.parse(stdout.slice(stdout.indexOf('{')));
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkParameters } from '../doctor/check-parameters.ts';
import { type Finding, lineOf } from '../doctor/check-settings.ts';
import { catalog } from '../local/catalog.ts';
import {
  configuredExtensions,
  EXTENSIONS_FILE,
  extensionsModule,
  PRODUCTS_FILE,
  productsModule,
} from '../local/extensions-file.ts';
import { readParameters } from '../local/parameters.ts';
import { ROOT } from '../local/suite.ts';
import { checkProject, checkSecrets, findProject, findSite, type ReadSecret } from './check-project.ts';
import { checkRoles, findExisting } from './find-existing.ts';
import {
  ACCESS,
  deployCommand,
  LIST_INDEXES,
  PRINT_ROLES,
  packedFiles,
  planOf,
  serviceUrl,
  siteCommand,
  targetCommand,
} from './steps.ts';

const THIS_MACHINE: Shell = {
  print: (line) => console.log(line),
  build: () => execFileSync('npm', ['run', '--silent', 'build', '--workspace', 'functions'], { cwd: ROOT }),
  write: (file, text) => writeFileSync(file, text),
  ask: ([program = '', ...args]) => {
    const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: ROOT, encoding: 'utf8' });
    return { status, stdout, stderr: error?.message ?? stderr };
  },
  show: ([program = '', ...args]) => spawnSync(program, args, { cwd: ROOT, stdio: 'inherit' }).status ?? 1,
  read: (url) =>
    fetch(url).then(
      (response) => (response.ok ? response.text() : null),
      () => null,
    ),
  get: (url) =>
    fetch(url).then(
      ({ status }) => status,
      () => null,
    ),
};

/** Deploys this checkout from this machine. @returns the exit status: 0 when all of it is done. */
export async function deploy(order: Omit<Order, 'root'>): Promise<number> {
  try {
    return await carryOut({ ...order, root: ROOT }, THIS_MACHINE);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return 1;
  }
}

/** What a deployment does outside: each answers as the command that it stands for. */
export interface Shell {
  readonly print: (line: string) => void;
  /** Builds functions/dist when it is not up to date. */
  readonly build: () => unknown;
  readonly write: (file: string, text: string) => void;
  /** Runs a command and keeps what it prints. */
  readonly ask: (command: readonly string[]) => { status: number | null; stdout: string; stderr: string };
  /** Runs a command before the reader's eyes. */
  readonly show: (command: readonly string[]) => number;
  /** The status of a GET without credentials; null where nobody answers. */
  readonly get: (url: string) => Promise<number | null>;
  /** The text of a page; null where there is none. */
  readonly read: (url: string) => Promise<string | null>;
}

interface Order {
  readonly root: string;
  readonly project: string | undefined;
  readonly isDryRun: boolean;
  /** The Hosting site of the return pages, where their address does not name it; null: they are served elsewhere. */
  readonly site?: string | undefined | null;
  /** Whether what a project has already may be replaced. */
  readonly mayReplace?: boolean;
}

/**
 * Deploys function, rules, TTL policies and return pages, after checks that each say what to do. What the project has
 * already is shown, and nothing of it is replaced unless that was asked for. A dry run checks what can be checked on this
 * machine, builds, prints every step and runs none.
 *
 * @returns the exit status: 0 when everything is deployed (or would be) and the function answers.
 */
export async function carryOut(order: Order, shell: Shell): Promise<number> {
  const { root, isDryRun } = order;
  const project = findProject(root, order.project);
  const named = checkProject(project);
  // Every other check reads the project's own settings.
  if (project === undefined || !named.ok) {
    report([named], shell);
    return 1;
  }
  const parameters = readParameters(root, project);
  const url = serviceUrl(project, parameters);
  const { site, finding } = findSite(order.site, parameters);
  const isRefused = report([named, ...checkParameters(parameters, project, catalog), finding], shell);
  if (isDryRun) {
    shell.build();
    shell.print(`\nWhat a deployment ${isRefused ? 'would run if nothing stood in its way' : 'runs'}:`);
    const packed = packedFiles(join(root, 'functions', 'dist'));
    for (const step of planOf(project, site, packed, url)) shell.print(`  ${step}`);
    return isRefused ? 1 : 0;
  }
  if (isRefused || report(checkSecrets(secretOf(project, shell), project), shell)) return 1;
  const existing = await findExisting({ root, project, site }, shell);
  if (report(existing, shell, order.mayReplace ? 'show' : 'refuse')) return 1;
  // Shown, and not a reason to refuse: a role that comes from a folder, a group or the organisation is not seen.
  report(checkRoles(shell.ask([...PRINT_ROLES, project]), project), shell, 'show');
  shell.write(
    join(root, EXTENSIONS_FILE),
    extensionsModule(configuredExtensions(parameters.BILLING_EXTENSION_IDS ?? '', catalog)),
  );
  shell.write(join(root, PRODUCTS_FILE), productsModule(catalog));
  const status = deployAll(project, site, shell);
  if (status !== 0) return status;
  showIndexes(project, shell);
  return look(url, shell);
}

function deployAll(project: string, site: string | null, { ask, show }: Shell): number {
  if (site !== null) {
    const isThere = ask(siteCommand('get', project, site)).status === 0;
    const made = isThere ? 0 : show(siteCommand('create', project, site));
    const named = made === 0 ? show(targetCommand(project, site)) : made;
    if (named !== 0) return named;
  }
  return show(deployCommand(project, site));
}

/** Prints the findings. @returns whether one of them stands in the way. */
function report(findings: readonly Finding[], { print }: Shell, how: 'refuse' | 'show' = 'refuse'): boolean {
  for (const finding of findings) print(lineOf(finding));
  const isRefused = how === 'refuse' && findings.some(({ ok }) => !ok);
  if (isRefused) print('\nNothing is deployed.');
  return isRefused;
}

function secretOf(project: string, { ask }: Shell): ReadSecret {
  return (name) => {
    const { status, stdout, stderr } = ask([...ACCESS, name, '--project', project]);
    return status === 0 ? { value: stdout } : { why: stderr.trim().split('\n')[0] || 'no answer' };
  };
}

/** Firestore takes indexes at once and builds them afterwards: a query whose index is not ready fails until it is. */
function showIndexes(project: string, { ask, print }: Shell): void {
  const { status, stdout } = ask([...LIST_INDEXES, project]);
  const building = status === 0 ? stdout.split('[CREATING]').length - 1 : 0;
  if (building === 0) return;
  print(
    `\nFirestore is still building ${building} ${building === 1 ? 'index' : 'indexes'}, which takes minutes. Until then`,
  );
  print(
    'account deletion, npx billing reconcile, npx billing customer and the daily comparison may fail; nothing is lost.',
  );
}

/** A deployed function answers a request without a token with 401, by itself. */
async function look(url: string, { get, print }: Shell): Promise<number> {
  const status = await get(`${url}/credits/balance`);
  const answers = status === null ? 'does not answer' : `answers ${status}`;
  print(`\n${url} ${answers} to a request without a token (401 is right).`);
  print(`Its events: npx billing setup --endpoint ${url}/billing/webhook registers the address.`);
  return status === 401 ? 0 : 1;
}

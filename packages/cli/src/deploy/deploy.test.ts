import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { catalog } from '../local/catalog.ts';
import { SIMULATOR_SECRETS } from '../local/suite.ts';
import { carryOut, type Shell } from './deploy.ts';
import { NEEDED_ROLES } from './find-existing.ts';

const PROJECT = 'paid-extension-1';
const OWN = { PAYMENT_SECRET_KEY: 'sk_test_ownOwnOwn1234', PAYMENT_WEBHOOK_SECRET: 'whsec_ownOwnOwn5678' };
const PARAMETERS = {
  BILLING_SUCCESS_URL: 'https://paid-extension-1.web.app/billing/success.html',
  BILLING_CANCEL_URL: 'https://paid-extension-1.web.app/billing/cancel.html',
  BILLING_PORTAL_RETURN_URL: 'https://paid-extension-1.web.app/billing/portal-return.html',
  BILLING_EXTENSION_IDS: 'keggfklddlhbjeolakknnaliambbpajm',
};

const RULES = 'service cloud.firestore { match /customers/{uid} { allow read: if true; } }';
const PLAN_FIELD = { collectionGroup: 'customers', fieldPath: 'plan', indexes: [] };
const EXPIRES = { collectionGroup: 'free_days', fieldPath: 'expireAt', ttl: true, indexes: [] };
/** What the project has before. */
interface Project {
  readonly rules: string | null;
  readonly functions: readonly { readonly id: string; readonly codebase?: string }[];
  /** Pages by their address. */
  readonly pages: Readonly<Record<string, string>>;
  /** What firebase-tools lists of the indexes; none where it is left out. */
  readonly indexes?: string;
  readonly overrides?: readonly object[];
  /** Of the account that functions run as; without any, the Editor that a new project makes of it. */
  readonly roles?: readonly string[];
}
const EMPTY: Project = { rules: null, functions: [], pages: {} };
const ACCOUNT = '123-compute@developer.gserviceaccount.com';
const SITE = `https://${PROJECT}.web.app`;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'billing-deploy-'));
  mkdirSync(join(root, 'functions', 'dist'), { recursive: true });
  for (const name of ['index.cjs', 'index.cjs.map', '.built-with.json'])
    writeFileSync(join(root, 'functions/dist', name), '');
  writeFileSync(join(root, 'firestore.rules'), RULES);
  writeFileSync(
    join(root, 'firestore.indexes.json'),
    JSON.stringify({ fieldOverrides: [PLAN_FIELD, EXPIRES] }),
  );
  setParameters(PARAMETERS);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function setParameters(parameters: Readonly<Record<string, string>>): void {
  const lines = Object.entries(parameters).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(join(root, 'functions', `.env.${PROJECT}`), lines.join(''));
}

/** A machine on which firebase answers with these secrets and deploys without complaint. */
function aShell(
  secrets: Readonly<Record<string, string>> = OWN,
  answer: number | null = 401,
  has: Project = EMPTY,
) {
  const ran: string[] = [];
  const written = new Map<string, string>();
  const printed: string[] = [];
  const shell: Shell = {
    print: (line) => printed.push(line),
    build: async () => ran.push('build'),
    write: (file, text) => void written.set(relative(root, file), text),
    ask: (command) => {
      ran.push(command.join(' '));
      const said = (value: object) => ({ status: 0, stdout: `${JSON.stringify(value)}\n`, stderr: '' });
      if (command.includes('packages/cli/src/deploy/print-rules.ts')) return said({ rules: has.rules });
      if (command.includes('packages/cli/src/deploy/print-roles.ts')) {
        return said({ account: ACCOUNT, roles: has.roles ?? ['roles/editor'] });
      }
      if (command.includes('functions:list')) return said({ status: 'success', result: has.functions });
      if (command.includes('hosting:sites:get')) return said({});
      if (command.includes('firestore:indexes') && command.includes('--json')) {
        return said({ status: 'success', result: { indexes: [], fieldOverrides: has.overrides ?? [] } });
      }
      if (command.includes('firestore:indexes')) return { status: 0, stdout: has.indexes ?? '', stderr: '' };
      const value = secrets[command[2] ?? ''];
      if (value === undefined) return { status: 1, stdout: '', stderr: 'Error: Secret not found\nmore' };
      return { status: 0, stdout: `${value}\n`, stderr: '' };
    },
    show: (command) => {
      ran.push(command.join(' '));
      return 0;
    },
    get: async () => answer,
    read: async (url) => has.pages[url] ?? null,
  };
  return { shell, ran, written, text: () => printed.join('\n') };
}

const DEPLOY = `firebase deploy --only functions:extension-billing,firestore,hosting:extension-billing --project ${PROJECT}`;
const deploy = (shell: Shell, project: string | undefined = PROJECT) =>
  carryOut({ root, project, isDryRun: false }, shell);

describe('a deployment', () => {
  it('looks at both secrets, deploys all parts, and looks whether the function answers', async () => {
    const { shell, ran, text } = aShell();
    expect(await deploy(shell)).toBe(0);
    expect(ran).toEqual([
      `firebase functions:secrets:access PAYMENT_SECRET_KEY --project ${PROJECT}`,
      `firebase functions:secrets:access PAYMENT_WEBHOOK_SECRET --project ${PROJECT}`,
      `node packages/cli/src/deploy/print-rules.ts ${PROJECT}`,
      `firebase firestore:indexes --json --project ${PROJECT}`,
      `firebase functions:list --json --project ${PROJECT}`,
      `node packages/cli/src/deploy/print-roles.ts ${PROJECT}`,
      `firebase hosting:sites:get ${PROJECT} --project ${PROJECT}`,
      `firebase target:apply hosting extension-billing ${PROJECT} --project ${PROJECT}`,
      DEPLOY,
      `firebase firestore:indexes --pretty --project ${PROJECT}`,
    ]);
    expect(text()).toContain(
      `npx billing setup --endpoint https://us-central1-${PROJECT}.cloudfunctions.net/api/billing/webhook`,
    );
  });

  it('tells the sign-in page the configured extensions, and no other', async () => {
    setParameters({ ...PARAMETERS, BILLING_EXTENSION_IDS: 'keggfklddlhbjeolakknnaliambbpajm, a@b.example' });
    const { shell, written } = aShell();
    await deploy(shell);
    expect(written.get('public/billing/products.js')).toContain(`"${catalog.plans[0]?.lookupKey}":`);
    const text = written.get('public/billing/extensions.js') ?? '';
    expect(/EXTENSION_IDS = (.*);/.exec(text)?.[1]).toBe(
      JSON.stringify(['keggfklddlhbjeolakknnaliambbpajm', 'a@b.example', ...Object.keys(catalog.apps)]),
    );
  });

  it('says which indexes Firestore still builds, and what has to wait for them', async () => {
    const line = (state: string) =>
      `[${state}] (credit_ledger) -- (deltaAllowance,ASCENDING) (deltaPack,ASCENDING)`;
    const building = aShell(OWN, 401, { ...EMPTY, indexes: `Compound Indexes\n${line('CREATING')}\n` });
    expect(await deploy(building.shell)).toBe(0);
    expect(building.text()).toContain('Firestore is still building 1 index');
    expect(building.text()).toContain('npx billing reconcile');
    const ready = aShell(OWN, 401, { ...EMPTY, indexes: `Compound Indexes\n${line('READY')}\n` });
    expect(await deploy(ready.shell)).toBe(0);
    expect(ready.text()).not.toContain('still building');
  });

  it('never shows a secret', async () => {
    const { shell, text } = aShell({ ...OWN, PAYMENT_WEBHOOK_SECRET: 'oops_ownOwnOwn5678' });
    expect(await deploy(shell)).toBe(1);
    expect(text()).not.toContain('ownOwnOwn');
  });

  it('takes the default project of .firebaserc', async () => {
    writeFileSync(join(root, '.firebaserc'), JSON.stringify({ projects: { default: PROJECT } }));
    const { shell } = aShell();
    expect(await carryOut({ root, project: undefined, isDryRun: false }, shell)).toBe(0);
  });

  it.each([
    ['another answer than 401', 500],
    ['no answer', null],
  ])('fails on %s', async (_what, answer) => {
    expect(await deploy(aShell(OWN, answer).shell)).toBe(1);
  });
});

describe('refused, with what to do, and nothing is deployed', () => {
  const refused = async (shell: ReturnType<typeof aShell>, project?: string): Promise<string> => {
    expect(await deploy(shell.shell, project)).toBe(1);
    expect(shell.ran.filter((command) => command.startsWith('firebase deploy'))).toEqual([]);
    expect(shell.text()).toContain('Nothing is deployed.');
    return shell.text();
  };

  it('a project of the emulators, and one that is none', async () => {
    expect(await refused(aShell(), 'demo-extension-billing')).toContain('exists in the emulators only');
    expect(await refused(aShell(), 'My Project')).toContain('firebase projects:list');
  });

  it('no project at all', async () => {
    const { shell, text } = aShell();
    expect(await carryOut({ root, project: undefined, isDryRun: false }, shell)).toBe(1);
    expect(text().split('\n')).toEqual([
      'problem  project: none is named',
      expect.stringContaining('firebase use --add'),
      '',
      'Nothing is deployed.',
    ]);
  });

  it.each(['PAYMENT_SECRET_KEY', 'PAYMENT_WEBHOOK_SECRET'] as const)('the simulator’s %s', async (name) => {
    const shell = aShell({ ...OWN, [name]: SIMULATOR_SECRETS[name] });
    expect(await refused(shell)).toContain(`firebase functions:secrets:set ${name} --project ${PROJECT}`);
  });

  it.each(['PAYMENT_SECRET_KEY', 'PAYMENT_WEBHOOK_SECRET'] as const)('a missing %s', async (name) => {
    const { [name]: _, ...others } = OWN;
    const text = await refused(aShell(others));
    expect(text).toContain(`${name} cannot be read (Error: Secret not found)`);
    expect(text).toContain(`firebase functions:secrets:set ${name}`);
  });

  it.each([
    ['no return address', { BILLING_SUCCESS_URL: '' }, 'BILLING_SUCCESS_URL'],
    ['a return address on a laptop', { BILLING_CANCEL_URL: 'http://127.0.0.1:5056/x' }, 'own machine'],
    ['the simulator’s address', { PAYMENT_API_BASE: 'http://127.0.0.1:4242' }, 'for the emulator only'],
    ['a trial that is not as advertised', { BILLING_TRIAL_DAYS: '30' }, 'advertises 7 days'],
    ['no extension that may call it', { BILLING_EXTENSION_IDS: '' }, 'BILLING_EXTENSION_IDS is empty'],
    [
      'pages at an address that names no site',
      { BILLING_SUCCESS_URL: 'https://shop.example/ok' },
      '--site <id>',
    ],
    ['a secret among the parameters', { PAYMENT_SECRET_KEY: 'sk_test_ownOwnOwn1234' }, 'plain text'],
  ])('%s', async (_what, wrong, said) => {
    setParameters({ ...PARAMETERS, ...wrong });
    const text = await refused(aShell());
    expect(text).toContain(said);
    expect(text).not.toContain('ownOwnOwn');
  });
});

describe('a project that has something already', () => {
  const THEIRS: Project = {
    rules: 'service cloud.firestore { match /notes/{id} { allow read, write: if request.auth != null; } }',
    functions: [{ id: 'sendMail', codebase: 'default' }, { id: 'api' }],
    pages: { [`${SITE}/`]: '<h1>My website</h1>', [`${SITE}/billing/success.html`]: '<h1>My website</h1>' },
    overrides: [
      { ...PLAN_FIELD, ttl: false, indexes: [{ order: 'ASCENDING', queryScope: 'COLLECTION' }] },
      { ...PLAN_FIELD, fieldPath: 'stripeId' },
    ],
  };
  const tried = async (has: Project, mayReplace = false) => {
    const { shell, ran, text } = aShell(OWN, 401, has);
    const status = await carryOut({ root, project: PROJECT, isDryRun: false, mayReplace }, shell);
    return { status, text: text(), isDeployed: ran.includes(DEPLOY) };
  };

  it('is shown what would be replaced, and nothing is', async () => {
    const { status, text, isDeployed } = await tried(THEIRS);
    expect([status, isDeployed]).toEqual([1, false]);
    expect(text).toContain('replaces: the Firestore rules of the project, which are others (/notes/{id})');
    expect(text).toContain('replaces: the index settings of customers.plan\n');
    expect(text).toContain(`replaces: the website at ${SITE}`);
    expect(text).toContain('replaces: the function api of the codebase "default"');
    expect(text).toContain('keeps: the functions sendMail');
    expect(text).toContain('Nothing is deployed.');
  });

  it.each<[string, Partial<Project>]>([
    ['rules', { rules: THEIRS.rules }],
    ['a function of this name', { functions: THEIRS.functions }],
    ['index settings of a field', { overrides: THEIRS.overrides ?? [] }],
    ['a website', { pages: THEIRS.pages }],
  ])('is refused for %s alone', async (_what, has) => {
    expect(await tried({ ...EMPTY, ...has })).toMatchObject({ status: 1, isDeployed: false });
  });

  it('loses it when that was asked for, and is shown what', async () => {
    const { status, text, isDeployed } = await tried(THEIRS, true);
    expect([status, isDeployed]).toEqual([0, true]);
    expect(text).toContain(`replaces: the website at ${SITE}`);
  });

  it('is deployed to again without a question, as is one that is new', async () => {
    const ours: Project = {
      rules: `// as it was written\n${RULES.replaceAll(' ', '\n')}`,
      functions: [
        { id: 'api', codebase: 'extension-billing' },
        { id: 'sendMail', codebase: 'default' },
      ],
      pages: { [`${SITE}/billing/success.html`]: '<script src="tell-extension.js">', [`${SITE}/`]: 'mine' },
      overrides: [{ ...PLAN_FIELD, ttl: false }, { ...PLAN_FIELD, fieldPath: 'stripeId' }, EXPIRES],
    };
    const locked = 'service cloud.firestore { match /{document=**} { allow read, write: if false; } }';
    for (const has of [ours, EMPTY, { ...EMPTY, rules: locked }]) {
      expect(await tried(has)).toMatchObject({ status: 0, isDeployed: true });
    }
  });

  it('is not deployed to unseen', async () => {
    const { shell, ran, text } = aShell();
    const blind: Shell = {
      ...shell,
      ask: (command) =>
        command.includes('functions:list')
          ? { status: 1, stdout: '', stderr: 'Error: not signed in' }
          : shell.ask(command),
    };
    expect(await deploy(blind)).toBe(1);
    expect(ran).not.toContain(DEPLOY);
    expect(text()).toContain('cannot be looked at (Error: not signed in)');
  });

  it('keeps its Hosting where the pages are served elsewhere', async () => {
    setParameters({ ...PARAMETERS, BILLING_SUCCESS_URL: 'https://shop.example/billing/success.html' });
    const { shell, ran } = aShell(OWN, 401, { ...EMPTY, pages: THEIRS.pages });
    expect(await carryOut({ root, project: PROJECT, isDryRun: false, site: null }, shell)).toBe(0);
    expect(ran.at(-2)).toBe(
      `firebase deploy --only functions:extension-billing,firestore --project ${PROJECT}`,
    );
  });
});

describe('the roles of the functions’ service account', () => {
  const rolesFound = async (roles: readonly string[]): Promise<string> => {
    const { shell, ran, text } = aShell(OWN, 401, { ...EMPTY, roles });
    expect(await deploy(shell)).toBe(0);
    // They may come from where they are not seen, so nothing is refused.
    expect(ran).toContain(DEPLOY);
    return text();
  };

  it('that an organisation withheld are named before the deployment, each with its command', async () => {
    const text = await rolesFound(['roles/datastore.user']);
    for (const role of [
      'roles/firebaseauth.admin',
      'roles/serviceusage.serviceUsageConsumer',
      'roles/cloudbuild.builds.builder',
    ]) {
      expect(text).toContain(`problem  roles: ${ACCOUNT} has no ${role}`);
      expect(text).toContain(
        `gcloud projects add-iam-policy-binding ${PROJECT} --member serviceAccount:${ACCOUNT} --role ${role}`,
      );
    }
    expect(text).not.toContain('no roles/datastore.user');
  });

  it.each([
    ['Editor', ['roles/editor']],
    ['each of them', NEEDED_ROLES.map(({ role }) => role)],
  ])('are enough with %s', async (_which, roles) => {
    expect(await rolesFound(roles)).toContain(`ok       roles: ${ACCOUNT} has what it needs`);
  });

  it('that cannot be looked at are said to be unseen', async () => {
    const { shell, text } = aShell();
    const ask: Shell['ask'] = (command) =>
      command.includes('packages/cli/src/deploy/print-roles.ts')
        ? { status: 1, stdout: '', stderr: 'HTTP Error: 403, denied' }
        : shell.ask(command);
    expect(await deploy({ ...shell, ask })).toBe(0);
    expect(text()).toContain('cannot be looked at (HTTP Error: 403, denied)');
  });

  it('are those that the guide names', () => {
    const guide = readFileSync(new URL('../../../../docs/going-live.md', import.meta.url), 'utf8');
    for (const { role } of NEEDED_ROLES) expect(guide).toContain(role);
  });
});

describe('a dry run', () => {
  it('builds, prints every step, runs none, and asks nobody', async () => {
    const { shell, ran, text } = aShell();
    expect(await carryOut({ root, project: PROJECT, isDryRun: true }, shell)).toBe(0);
    expect(ran).toEqual(['build']);
    for (const step of [
      'functions:secrets:access PAYMENT_SECRET_KEY',
      'functions:secrets:access PAYMENT_WEBHOOK_SECRET',
      DEPLOY,
      `firebase functions:list --json --project ${PROJECT}`,
      'npm run build --workspace functions',
      'index.cjs (0 KiB)',
      'gcp-build',
      '/credits/balance',
    ]) {
      expect(text()).toContain(step);
    }
    expect(text()).not.toContain('.built-with.json');
    expect(text()).not.toContain('.map');
  });

  it('says what stands in the way, and fails', async () => {
    setParameters({});
    const { shell, text } = aShell();
    expect(await carryOut({ root, project: PROJECT, isDryRun: true }, shell)).toBe(1);
    expect(text()).toContain('problem  settings: BILLING_SUCCESS_URL');
    expect(text()).toContain('would run if nothing stood in its way');
  });
});

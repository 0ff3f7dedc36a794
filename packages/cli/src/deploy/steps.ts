import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { addressOf } from '../../../../functions/src/config.ts';
import { EXTENSIONS_FILE, PRODUCTS_FILE } from '../local/extensions-file.ts';
import type { Environment } from '../local/ports.ts';

/** The codebase of the functions in firebase.json: those of any other are none of this deployment's. */
export const CODEBASE = 'extension-billing';
/** The name that firebase.json gives to the Hosting site of the return pages. */
const HOSTING_TARGET = 'extension-billing';

/** What the deployment of the functions, the rules, the TTL policies and the return pages runs. */
export function deployCommand(project: string, site: string | null): readonly string[] {
  const only = [
    `functions:${CODEBASE}`,
    'firestore',
    ...(site === null ? [] : [`hosting:${HOSTING_TARGET}`]),
  ];
  return ['firebase', 'deploy', '--only', only.join(','), '--project', project];
}

/** Says which site the return pages go to, in .firebaserc. */
export function targetCommand(project: string, site: string): readonly string[] {
  return ['firebase', 'target:apply', 'hosting', HOSTING_TARGET, site, '--project', project];
}

/** Asks whether there is such a Hosting site, and makes it where there is none. */
export function siteCommand(verb: 'get' | 'create', project: string, site: string): readonly string[] {
  return ['firebase', `hosting:sites:${verb}`, site, '--project', project];
}

export const LIST_FUNCTIONS = ['firebase', 'functions:list', '--json', '--project'] as const;
export const PRINT_RULES = ['node', 'packages/cli/src/deploy/print-rules.ts'] as const;
export const PRINT_ROLES = ['node', 'packages/cli/src/deploy/print-roles.ts'] as const;

export const PRINT_INDEXES = ['firebase', 'firestore:indexes', '--json', '--project'] as const;
export const LIST_INDEXES = ['firebase', 'firestore:indexes', '--pretty', '--project'] as const;

export const ACCESS = ['firebase', 'functions:secrets:access'] as const;

/** The deployed function's address, known before it is deployed. */
export function serviceUrl(project: string, { BILLING_REGION = '' }: Environment): string {
  return addressOf(project, BILLING_REGION.trim() || undefined);
}

/** Every step of a deployment in its order, for a dry run. */
export function planOf(
  project: string,
  site: string | null,
  packed: readonly string[],
  url: string,
): readonly string[] {
  return [
    ...['PAYMENT_SECRET_KEY', 'PAYMENT_WEBHOOK_SECRET'].map(
      (name) => `${ACCESS.join(' ')} ${name} --project ${project}   (checked, never shown)`,
    ),
    `${PRINT_RULES.join(' ')} ${project}   (what would be replaced)`,
    `${PRINT_INDEXES.join(' ')} ${project}   (what would be replaced)`,
    `${LIST_FUNCTIONS.join(' ')} ${project}   (what would be replaced)`,
    `${PRINT_ROLES.join(' ')} ${project}   (what the functions' service account may do)`,
    ...(site === null
      ? []
      : [
          `${siteCommand('get', project, site).join(' ')}   (made where there is none)`,
          targetCommand(project, site).join(' '),
        ]),
    `writes ${EXTENSIONS_FILE}   (BILLING_EXTENSION_IDS, for sign-in.html)`,
    `writes ${PRODUCTS_FILE}   (billing.config.ts, for success.html)`,
    deployCommand(project, site).join(' '),
    `  its predeploy hook: npm run build --workspace functions`,
    `  uploads functions/dist: ${packed.join(', ')}`,
    '  Cloud Build: npm ci, then gcp-build (node warm-up.cjs)',
    `  firestore.rules, firestore.indexes.json (indexes, TTL policies)${site === null ? '' : `, public/ to the Hosting site ${site}`}`,
    `${LIST_INDEXES.join(' ')} ${project}   (what Firestore still builds)`,
    `GET ${url}/credits/balance   (must answer 401)`,
  ];
}

/** The `ignore` of firebase.json. */
const NOT_PACKED = /^\.|^node_modules$|\.(?:log|map)$/;

/** What firebase-tools uploads of the built folder, with sizes. */
export function packedFiles(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => !NOT_PACKED.test(name))
    .toSorted()
    .map((name) => `${name} (${Math.ceil(statSync(join(folder, name)).size / 1024)} KiB)`);
}

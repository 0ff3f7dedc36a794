import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Finding, fine, problem } from '../doctor/check-settings.ts';
import type { Environment } from '../local/ports.ts';
import { SIMULATOR_SECRETS } from '../local/suite.ts';

/** The project to deploy to: the one that is named, else the default that `firebase use --add` wrote. */
export function findProject(root: string, named: string | undefined): string | undefined {
  if (named !== undefined) return named;
  const file = join(root, '.firebaserc');
  if (!existsSync(file)) return undefined;
  const { projects }: { projects?: { default?: string } } = JSON.parse(readFileSync(file, 'utf8'));
  return projects?.default;
}

/** A project that can be deployed to. `demo-` projects exist in the emulators only (Firebase). */
export function checkProject(project: string | undefined): Finding {
  if (project === undefined || project === '') {
    return problem(
      'project: none is named',
      'npx billing deploy --project <id>, or choose a default: firebase use --add',
    );
  }
  if (!/^[a-z][a-z0-9-]{4,28}[a-z0-9]$/.test(project)) {
    return problem(
      `project: "${project}" cannot be a project id`,
      'firebase projects:list shows yours: 6 to 30 small letters, digits and "-".',
    );
  }
  if (project.startsWith('demo-')) {
    return problem(
      `project: ${project} exists in the emulators only`,
      'Name a real one: npx billing deploy --project <id>',
    );
  }
  return fine(`project: ${project}`);
}

/**
 * The Hosting site that the return pages go to: the one that is asked for, else the one that their address names. Never
 * a guess: the project's first site may be the owner's website.
 *
 * @param asked null where the pages are served elsewhere
 */
export function findSite(
  asked: string | undefined | null,
  { BILLING_SUCCESS_URL = '' }: Environment,
): { readonly site: string | null; readonly finding: Finding } {
  if (asked === null) return { site: null, finding: fine('pages: served elsewhere') };
  const named = /^([a-z0-9-]+)\.(?:web\.app|firebaseapp\.com)$/.exec(
    URL.parse(BILLING_SUCCESS_URL)?.hostname ?? '',
  )?.[1];
  const site = asked ?? named;
  if (site !== undefined) return { site, finding: fine(`pages: the Hosting site ${site}`) };
  return {
    site: null,
    finding: problem(
      'pages: BILLING_SUCCESS_URL names no Hosting site',
      'Name the site that this domain belongs to with --site <id>, or serve public/billing there yourself and say --no-hosting.',
    ),
  };
}

/** The value of a secret in the project's Secret Manager, or why it cannot be had. */
export type ReadSecret = (name: string) => { readonly value: string } | { readonly why: string };

const SHAPES = {
  PAYMENT_SECRET_KEY: { shape: /^(?:sk|rk)_(?:test|live)_\w{8,}$/, word: 'sk_live_… or sk_test_…' },
  PAYMENT_WEBHOOK_SECRET: { shape: /^whsec_[\w+/=]{8,}$/, word: 'whsec_…' },
} as const;

/** Both secrets of the deployed function: there, of the right kind, and not the simulator's. Tells no value. */
export function checkSecrets(read: ReadSecret, project: string): readonly Finding[] {
  return (['PAYMENT_SECRET_KEY', 'PAYMENT_WEBHOOK_SECRET'] as const).map((name) => {
    const set = `firebase functions:secrets:set ${name} --project ${project}`;
    const { shape, word } = SHAPES[name];
    const found = read(name);
    if ('why' in found) return problem(`secrets: ${name} cannot be read (${found.why})`, `Set it: ${set}`);
    const value = found.value.trim();
    if (value === SIMULATOR_SECRETS[name]) {
      return problem(
        `secrets: ${name} is the provider simulator's, which anybody knows`,
        `Set your own: ${set}`,
      );
    }
    if (!shape.test(value)) return problem(`secrets: ${name} is not ${word}`, `Set it: ${set}`);
    const mode = value.includes('_live_')
      ? ' (live: real money)'
      : value.includes('_test_')
        ? ' (test mode)'
        : '';
    return fine(`secrets: ${name} is there${mode}`);
  });
}

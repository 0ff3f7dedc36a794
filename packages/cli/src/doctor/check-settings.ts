import type { Catalog } from '@extension-billing/contract/catalog';
import { ConfigError, readConfig } from '../../../../functions/src/config.ts';
import type { Environment } from '../local/ports.ts';

/** What one check found. `note` is information, `todo` says what to do about a problem. */
export type Finding =
  | { readonly ok: true; readonly about: string; readonly note?: string }
  | { readonly ok: false; readonly about: string; readonly todo: string };

export const fine = (about: string): Finding => ({ ok: true, about });
export const noted = (about: string, note: string): Finding => ({ ok: true, about, note });
export const problem = (about: string, todo: string): Finding => ({ ok: false, about, todo });

/** One line each, with a second for a note, or for what to do about a problem. */
export function lineOf(finding: Finding): string {
  if (!finding.ok) return `problem  ${finding.about}\n         → ${finding.todo}`;
  return finding.note === undefined
    ? `ok       ${finding.about}`
    : `note     ${finding.about}\n         ${finding.note}`;
}

/**
 * Keys, return addresses and the other settings, as the function itself reads them; and that the trial is as long
 * at the provider (BILLING_TRIAL_DAYS) as the extension advertises (the catalogue).
 */
export function checkSettings(environment: Environment, catalog: Catalog): readonly Finding[] {
  const problems = problemsOf(environment);
  const keys = problems.filter((line) => /^PAYMENT_(SECRET_KEY|WEBHOOK_SECRET)/.test(line));
  const urls = problems.filter((line) => /_URL /.test(line));
  const others = problems.filter((line) => !keys.includes(line) && !urls.includes(line));
  return [
    ...(keys.length === 0 ? [fine('keys: secret key and signing secret are there')] : keys.map(asProblem)),
    ...(urls.length === 0 ? [fine('return addresses: success, cancel, portal')] : urls.map(asProblem)),
    ...others.map(asProblem),
    checkTrial(environment, catalog),
  ];
}

function problemsOf(environment: Environment): readonly string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

function asProblem(line: string): Finding {
  const [name = '', ...rest] = line.split(' ');
  return problem(`settings: ${name}`, rest.join(' '));
}

function checkTrial(environment: Environment, { trialDays }: Catalog): Finding {
  const charged = environment.BILLING_TRIAL_DAYS || String(trialDays);
  if (charged === String(trialDays)) return fine(`trial: ${trialDays} days on both sides`);
  return problem(
    `trial: the extension advertises ${trialDays} days, the provider gives ${charged}`,
    'Make BILLING_TRIAL_DAYS of the function and trialDays in billing.config.ts equal.',
  );
}

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { Pricing } from '@extension-billing/contract/pricing';
import type { Environment } from '../../../../tools/ports.ts';
import { checkSettings } from '../doctor/check-settings.ts';
import { type Finding, problem } from '../doctor/finding.ts';

/** Stand in for the two secrets while the parameters alone are looked at. */
const SOME_SECRETS = {
  PAYMENT_SECRET_KEY: 'sk_live_notlookedat',
  PAYMENT_WEBHOOK_SECRET: 'whsec_notlookedat',
};

/** What firebase-tools gives the function as its environment: functions/.env, then functions/.env.<project>. */
export function readParameters(root: string, project: string): Environment {
  const files = ['.env', `.env.${project}`].map((name) => join(root, 'functions', name));
  return Object.assign({}, ...files.filter(existsSync).map((file) => parseEnv(readFileSync(file, 'utf8'))));
}

/** The deployed function's parameters, as the function itself will read them, and what only a laptop may have. */
export function checkParameters(
  parameters: Environment,
  project: string,
  catalog: Pricing,
): readonly Finding[] {
  const file = `functions/.env.${project}`;
  const asRead = checkSettings({ ...parameters, ...SOME_SECRETS }, catalog)
    .filter(({ about }) => !about.startsWith('keys:'))
    .map((finding) => (finding.ok ? finding : { ...finding, todo: `${finding.todo} (in ${file})` }));
  const local = Object.entries(parameters)
    .filter(([name, value = '']) => name.endsWith('_URL') && isLoopback(value))
    .map(([name]) =>
      problem(
        `settings: ${name} leads to the customer's own machine`,
        `Put your https address into ${file}.`,
      ),
    );
  const ids = parameters.BILLING_EXTENSION_IDS ?? '';
  const nobody =
    ids.trim() === ''
      ? [
          problem(
            'settings: BILLING_EXTENSION_IDS is empty, so every call of your extension would fail',
            `Put your extension's id into ${file}: chrome://extensions shows it.`,
          ),
        ]
      : [];
  const exposed = Object.keys(SOME_SECRETS)
    .filter((name) => (parameters[name] ?? '') !== '')
    .map((name) =>
      problem(
        `secrets: ${name} lies in plain text in ${file}`,
        `Remove it there, then: firebase functions:secrets:set ${name} --project ${project}`,
      ),
    );
  return [...asRead, ...nobody, ...local, ...exposed];
}

function isLoopback(address: string): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(URL.parse(address)?.hostname ?? '');
}

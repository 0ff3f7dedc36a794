import type { Catalog } from '@extension-billing/contract/catalog';
import type { Environment } from '../local/ports.ts';
import { checkSettings, type Finding, problem } from './check-settings.ts';

/** Stand in for the two secrets while the parameters alone are looked at. */
const SOME_SECRETS = {
  PAYMENT_SECRET_KEY: 'sk_live_notlookedat',
  PAYMENT_WEBHOOK_SECRET: 'whsec_notlookedat',
};

/** The deployed function's parameters, as the function itself will read them, and what only a laptop may have. */
export function checkParameters(
  parameters: Environment,
  project: string,
  catalog: Catalog,
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
    ids.trim() === '' && !parameters.BILLING_WEB_ORIGINS?.trim()
      ? [
          problem(
            'settings: BILLING_EXTENSION_IDS is empty, so every call of your extension would fail',
            `Put your extension's id into ${file}: chrome://extensions shows it. For a web app alone, BILLING_WEB_ORIGINS.`,
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

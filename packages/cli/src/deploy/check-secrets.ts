import { SIMULATOR_SECRETS } from '../../../../tools/suite/settings.ts';
import { type Finding, fine, problem } from '../doctor/finding.ts';

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

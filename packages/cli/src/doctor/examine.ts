import { pricing } from '@extension-billing/contract/pricing';
import type { Environment } from '../../../../tools/ports.ts';
import { readAddresses } from '../../../../tools/scenario/addresses.ts';
import type { Secrets } from '../../../../tools/suite/settings.ts';
import { chooseProvider, connect } from '../stripe/connect.ts';
import { checkAnswer, checkEndpoint, checkPortal } from './check-account.ts';
import { checkCatalog } from './check-catalog.ts';
import { checkClaims, checkRules } from './check-rules.ts';
import { checkSettings } from './check-settings.ts';
import { type Finding, fine } from './finding.ts';

export interface Patient {
  readonly secrets: Secrets;
  /** The function's parameters. */
  readonly parameters: Environment;
  /** The running suite's addresses. */
  readonly variables: Environment;
  /** The address that events are delivered to; the suite's own, with the simulator, when undefined. */
  readonly endpoint: string | undefined;
}

/** Every check there is. What hangs on the provider is left out while the provider does not answer. */
export async function examine(patient: Patient): Promise<readonly Finding[]> {
  const { secrets, parameters, variables } = patient;
  const settings = checkSettings({ ...parameters, ...secrets }, pricing);
  const choice = chooseProvider(variables, secrets.PAYMENT_SECRET_KEY);
  const stripe = await connect(choice);
  const answer = await checkAnswer(stripe);
  const own = choice.base === null ? undefined : `${variables.BILLING_BASE_URL}/billing/webhook`;
  const endpoint = patient.endpoint ?? own;
  const account = !answer.ok
    ? []
    : [
        ...(await checkCatalog(stripe, pricing)),
        await checkPortal(stripe, choice.base === null),
        endpoint === undefined
          ? fine(
              'endpoint: none asked about (-- --endpoint https://…); locally stripe listen brings the events',
            )
          : await checkEndpoint(stripe, endpoint),
      ];
  const emulators = readAddresses(variables);
  return [...settings, answer, ...account, ...(await checkRules(emulators)), await checkClaims(emulators)];
}

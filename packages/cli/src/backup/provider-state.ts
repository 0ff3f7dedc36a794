import { type IncomingMessage, request } from 'node:http';
import { askEmulator, EmulatorRefused } from './emulator.ts';

/** What a backup looks at in the simulator's snapshot; the rest travels as it is. */
export interface ProviderState {
  readonly facts: { readonly endpointSecrets?: readonly (readonly [endpoint: string, secret: string])[] };
}

/**
 * Runs `work` with the simulator's state while its events are held back, so that what is read meanwhile knows no event
 * that the state does not. Nothing is lost by it: what was held goes out afterwards, and stands as pending in the state.
 * Where this process ends, however it does, the simulator lets go by itself.
 *
 * @throws EmulatorRefused also where the simulator did not hold until the end: what was read may not fit together
 */
export async function whileHeld<Result>(
  provider: string,
  work: (state: ProviderState) => Promise<Result>,
): Promise<Result> {
  const held = await hold(provider);
  try {
    const result = await work((await askEmulator('GET', `${provider}/_sim/snapshot`)) as ProviderState);
    // That it ended a moment ago is heard while it is asked.
    const answers = await askEmulator('GET', `${provider}/_sim/health`).then(
      () => true,
      () => false,
    );
    if (!answers || held.destroyed) throw new EmulatorRefused('The simulator ended meanwhile: run it again.');
    return result;
  } finally {
    held.destroy();
  }
}

/** The answer of the simulator, which holds for as long as that is open. By `fetch` it would end when nothing came for minutes. */
function hold(provider: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asked = request(`${provider}/_sim/hold`, { method: 'POST', agent: false }, (answer) => {
      answer.on('error', () => {});
      // Read, since what is not read does not notice its end.
      answer.resume();
      if (answer.statusCode === 200) return resolve(answer);
      answer.destroy();
      reject(new EmulatorRefused(`POST ${provider}/_sim/hold answered ${answer.statusCode}`));
    });
    asked.on('error', reject);
    asked.end();
  });
}

/** The state with every endpoint's events signed as the suite that it goes to expects them. */
export function signedWith(state: ProviderState, secret: string): ProviderState {
  const { endpointSecrets = [] } = state.facts;
  const facts = { ...state.facts, endpointSecrets: endpointSecrets.map(([id]) => [id, secret] as const) };
  return { ...state, facts };
}

/** Nothing is under way any more: what was is delivered or given up, and forgotten. */
export async function quieten(provider: string): Promise<void> {
  await askEmulator('POST', `${provider}/_sim/flush`, {});
  await askEmulator('POST', `${provider}/_sim/reset`, {});
}

export async function restoreProvider(provider: string, state: ProviderState): Promise<void> {
  await askEmulator('POST', `${provider}/_sim/restore`, state);
}

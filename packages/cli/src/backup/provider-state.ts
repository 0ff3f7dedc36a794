import { askEmulator } from './emulator.ts';

/** What a backup looks at in the simulator's snapshot; the rest travels as it is. */
export interface ProviderState {
  readonly facts: { readonly endpointSecrets?: readonly (readonly [endpoint: string, secret: string])[] };
  readonly deliveries: {
    readonly mode: { readonly hold: boolean };
    readonly all: readonly { readonly status: string }[];
  };
}

/**
 * Runs `work` with the simulator's state while its events are held back, so that what is read meanwhile knows no event
 * that the state does not. Nothing is lost by it: what was held goes out afterwards, and stands as pending in the state.
 */
export async function whileHeld<Result>(
  provider: string,
  work: (state: ProviderState) => Promise<Result>,
): Promise<Result> {
  const { hold } = (await askEmulator('GET', `${provider}/_sim/delivery`)) as { hold: boolean };
  await askEmulator('POST', `${provider}/_sim/delivery`, { hold: true });
  try {
    const state = (await askEmulator('GET', `${provider}/_sim/snapshot`)) as ProviderState;
    return await work(hold ? state : released(state));
  } finally {
    await askEmulator('POST', `${provider}/_sim/delivery`, { hold });
  }
}

/** The state as if nothing were held. */
export function released(state: ProviderState): ProviderState {
  const { mode, all } = state.deliveries;
  return {
    ...state,
    deliveries: {
      mode: { ...mode, hold: false },
      all: all.map((one) => (one.status === 'held' ? { ...one, status: 'pending' } : one)),
    },
  };
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

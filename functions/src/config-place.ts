type Environment = Readonly<Record<string, string | undefined>>;

/** Both of the simulator's secrets hold its name, and are printed in this repository. */
const SIMULATORS = /^(?:sk_test|whsec)_simulator/;
const LIVE_KEY = /^(?:sk|rk)_live_/;

/**
 * What belongs to the other place: a deployed function with something of the emulator's would trust what anybody can
 * make, and the emulator with a live key would take real money for unsigned tokens. Answers a sentence for each.
 *
 * A deployed function never has `FUNCTIONS_EMULATOR`; a value left over from a laptop is refused there, not passed over.
 */
export function misplaced(env: Environment): readonly string[] {
  return env.FUNCTIONS_EMULATOR === 'true' ? misplacedInEmulator(env) : misplacedInCloud(env);
}

function misplacedInEmulator({ PAYMENT_SECRET_KEY: key = '' }: Environment): readonly string[] {
  return LIVE_KEY.test(key.trim())
    ? ['PAYMENT_SECRET_KEY is a live key: the emulator takes anybody for anyone, use a test key (sk_test_…)']
    : [];
}

function misplacedInCloud(env: Environment): readonly string[] {
  const emulators = (
    [
      ['PAYMENT_API_BASE', 'talks to the provider itself'],
      ['FIREBASE_AUTH_EMULATOR_HOST', 'takes no unsigned tokens'],
    ] as const
  )
    .filter(([name]) => (env[name] ?? '') !== '')
    .map(
      ([name, otherwise]) => `${name} is for the emulator only: remove it, a deployed function ${otherwise}`,
    );
  const known = ['PAYMENT_SECRET_KEY', 'PAYMENT_WEBHOOK_SECRET']
    .filter((name) => SIMULATORS.test((env[name] ?? '').trim()))
    .map(
      (name) =>
        `${name} is the provider simulator's, which everybody knows: run "firebase functions:secrets:set ${name}"`,
    );
  return [...emulators, ...known];
}

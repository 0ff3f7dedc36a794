import catalog from '../billing.config.ts';
import type { Assistant } from './call.ts';
import type { Charging } from './charging.ts';
import { priceIn } from './price.ts';
import { readSettings } from './settings.ts';

/** Under the function's own limit (index.ts), so that a call still settles when its time is over. */
const CALL_MS = 240_000;
const IDLE_MS = 60_000;

/**
 * The assistant as it runs: the models of models.ts at the addresses of the environment, charged as the catalogue says.
 *
 * @throws Error where a setting is missing, or a model's feature has no rates
 */
export function assistantFrom(
  environment: Readonly<Record<string, string | undefined>>,
  charging: Charging,
): Assistant {
  const settings = readSettings(environment);
  const priceOf = (feature: string) => priceIn(catalog, feature);
  for (const { feature } of Object.values(settings.models)) priceOf(feature);
  return {
    ...settings,
    ...{ charging, priceOf, idleMs: IDLE_MS, callMs: CALL_MS },
    now: () => Date.now(),
    log: (line) => console.log(JSON.stringify({ severity: 'INFO', ...line })),
  };
}

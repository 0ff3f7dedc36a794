import type { AppDeps } from '../deps.ts';
import type { Service, Services } from '../http/authenticate.ts';
import { findAccounts } from './accounts.ts';
import { rememberClaimants } from './claimant.ts';
import { findKeys } from './keys.ts';
import { findProcess } from './process.ts';

/** What the requests of services need, loaded when the first of them comes (routes.ts). */
export function connectServices(deps: AppDeps): Services {
  const ways = [findProcess(deps.trusted), findKeys(deps), findAccounts(deps)];
  return {
    async find(token): Promise<Service | null> {
      for (const find of ways) {
        const service = await find(token);
        if (service !== null) return service;
      }
      return null;
    },
    claimantOf: rememberClaimants(deps),
  };
}

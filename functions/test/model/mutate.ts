import { fileURLToPath } from 'node:url';
import { type Change, type Exports, loadWith } from './mutable-modules.ts';

/** The worlds of the model: each runs the service's own code. */
export interface Worlds {
  readonly './memory-service.ts': typeof import('./memory-service.ts');
  readonly './clock-service.ts': typeof import('./clock-service.ts');
  readonly './purchase-service.ts': typeof import('./purchase-service.ts');
  readonly './free-world.ts': typeof import('./free-world.ts');
  readonly './carried-world.ts': typeof import('./carried-world.ts');
  readonly './sale-world.ts': typeof import('./sale-world.ts');
  readonly './sold-world.ts': typeof import('./sold-world.ts');
}

/** The modules that mutants change. */
interface Sources {
  readonly './memory-writes.ts': typeof import('./memory-writes.ts');
  readonly '../../src/credits/decide.ts': typeof import('../../src/credits/decide.ts');
  readonly '../../src/credits/versions.ts': typeof import('../../src/credits/versions.ts');
  readonly '../../src/events/disputes.ts': typeof import('../../src/events/disputes.ts');
  readonly '../../src/events/entitlement.ts': typeof import('../../src/events/entitlement.ts');
  readonly '../../src/events/facts.ts': typeof import('../../src/events/facts.ts');
  readonly '../../src/events/grants.ts': typeof import('../../src/events/grants.ts');
  readonly '../../src/events/hand-grants.ts': typeof import('../../src/events/hand-grants.ts');
  readonly '../../src/events/lots.ts': typeof import('../../src/events/lots.ts');
  readonly '../../src/events/pools.ts': typeof import('../../src/events/pools.ts');
  readonly '../../src/events/subscription.ts': typeof import('../../src/events/subscription.ts');
  readonly '../../src/free/ceiling.ts': typeof import('../../src/free/ceiling.ts');
  readonly '../../src/free/decide.ts': typeof import('../../src/free/decide.ts');
  readonly '../../src/store/documents.ts': typeof import('../../src/store/documents.ts');
  readonly '../../src/store/transact.ts': typeof import('../../src/store/transact.ts');
  readonly '../../src/stripe/invoices.ts': typeof import('../../src/stripe/invoices.ts');
  readonly '../../src/stripe/kept-sale.ts': typeof import('../../src/stripe/kept-sale.ts');
  readonly '../../src/stripe/purchases.ts': typeof import('../../src/stripe/purchases.ts');
  readonly '../../src/stripe/sale.ts': typeof import('../../src/stripe/sale.ts');
  readonly '../../src/stripe/seal.ts': typeof import('../../src/stripe/seal.ts');
  readonly '../../../packages/contract/src/credits.ts': typeof import('../../../packages/contract/src/credits.ts');
  readonly '../../../packages/contract/src/customer.ts': typeof import('../../../packages/contract/src/customer.ts');
  readonly '../../../packages/contract/src/ledger.ts': typeof import('../../../packages/contract/src/ledger.ts');
  readonly '../../../packages/contract/src/schedule.ts': typeof import('../../../packages/contract/src/schedule.ts');
}

/** A wrong implementation of some of a module's exports, for all that import them. */
export interface Mutation {
  readonly file: string;
  readonly change: Change;
}

/** Replaces exports of a module: a rename of one of them is a type error here. */
export function wrong<File extends keyof Sources>(
  file: File,
  change: (right: Sources[File]) => Partial<Sources[File]>,
): Mutation {
  return { file, change: (right) => change(right as unknown as Sources[File]) as Exports };
}

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Loads the in-memory service of the events' model (see `mutated`). */
export async function mutatedService(mutations: readonly Mutation[]) {
  return (await mutated('./memory-service.ts', mutations)).memoryService;
}

/** Loads a world of the model in which these exports are changed. */
export async function mutated<World extends keyof Worlds>(
  world: World,
  mutations: readonly Mutation[],
): Promise<Worlds[World]> {
  const changes = new Map(mutations.map(({ file, change }) => [here(file), change]));
  return (await loadWith(here(world), changes)) as unknown as Worlds[World];
}

import { parseUid } from '../../src/store/documents.ts';
import { checkFree } from './free-property.ts';
import { wrong } from './mutate.ts';
import { describeMutants } from './notices.ts';
import type { Look } from './play.ts';
import { checkModel } from './property.ts';
import { checkCarried } from './run-carried.ts';
import { checkClock } from './run-clock.ts';
import { checkPurchases } from './run-purchases.ts';

/** One wrong rule for each rule that credits are spent, held and given by. */

const DECIDE = '../../src/credits/decide.ts';
const POOLS = '../../src/events/pools.ts';
const FREE = '../../src/free/decide.ts';
const CEILING = '../../src/free/ceiling.ts';
const CREDITS = '../../../packages/contract/src/credits.ts';
const CUSTOMER = '../../../packages/contract/src/customer.ts';
const SCHEDULE = '../../../packages/contract/src/schedule.ts';

const looks = (histories: number, ...seeds: readonly number[]): readonly Look[] =>
  seeds.map((seed) => ({ seed, histories }));

describeMutants(
  'the model of spending',
  './memory-service.ts',
  looks(60, 11, 5, 7, 1, 2, 3, 4).map((look) => ({ ...look, opening: 'any' })),
  async ({ memoryService }, look) => (await checkModel(memoryService, { ...look, journeysEach: 4 })).failure,
  [
    [
      'held credits that others can spend',
      wrong(DECIDE, ({ decideGroup }) => ({
        decideGroup: (commands, credits, ...rest) => {
          const isSpending = commands.every(({ kind }) => kind === 'consume');
          if (!isSpending || credits === null) return decideGroup(commands, credits, ...rest);
          const decided = decideGroup(commands, { ...credits, holds: [] }, ...rest);
          return { ...decided, credits: decided.credits && { ...decided.credits, holds: credits.holds } };
        },
      })),
    ],
    [
      'a hold that never expires',
      wrong(CUSTOMER, () => ({
        unexpired: (holds) => holds,
        heldOf: (holds) => holds.reduce((sum, { credits }) => sum + credits, 0),
      })),
    ],
    [
      'a hold that ends by the time of a record from the future',
      wrong(DECIDE, ({ decideGroup }) => ({
        decideGroup: (commands, credits, recorded, now, limits = {}) => {
          const decided = decideGroup(commands, credits, recorded, now, limits);
          if (decided.credits === null) return decided;
          const known = new Set(credits?.holds.map(({ reservation }) => reservation));
          const later = now - (limits.holdsAt ?? now);
          const holds = decided.credits.holds.map((hold) =>
            known.has(hold.reservation) ? hold : { ...hold, expiresAt: hold.expiresAt + later },
          );
          return { ...decided, credits: { ...decided.credits, holds } };
        },
      })),
    ],
    [
      'a hold that is compared with the time of a record from the future',
      wrong(DECIDE, ({ decideGroup }) => ({
        decideGroup: (commands, credits, recorded, now, limits) => {
          const holds = credits?.holds.filter(({ expiresAt }) => expiresAt > now) ?? [];
          return decideGroup(commands, credits && { ...credits, holds }, recorded, now, limits);
        },
      })),
    ],
    [
      'a confirm that takes what is no longer owned',
      wrong(CUSTOMER, () => ({
        drawn: ({ allowance, packs }, credits) => {
          const fromAllowance = Math.min(allowance, credits);
          return { allowance: allowance - fromAllowance, packs: packs - (credits - fromAllowance) };
        },
      })),
    ],
    [
      'packs that are spent before the allowance',
      wrong(CUSTOMER, ({ drawn }) => ({
        drawn: ({ allowance, packs }, credits) => {
          const left = drawn({ allowance: packs, packs: allowance }, credits);
          return { allowance: left.packs, packs: left.allowance };
        },
      })),
    ],
    [
      'credits that stay held after their reservation has ended',
      wrong(DECIDE, ({ decideGroup }) => ({
        decideGroup: (commands, credits, ...rest) => {
          const decided = decideGroup(commands, credits, ...rest);
          if (decided.credits === null || credits === null) return decided;
          const known = decided.credits.holds.map(({ reservation }) => reservation);
          const ended = credits.holds.filter(({ reservation }) => !known.includes(reservation));
          return { ...decided, credits: { ...decided.credits, holds: [...decided.credits.holds, ...ended] } };
        },
      })),
    ],
    [
      'a user who names the amount of a settle, or ends what a service holds',
      wrong(DECIDE, ({ decideGroup }) => ({
        decideGroup: (commands, ...rest) =>
          decideGroup(
            commands.map((command) =>
              'reservation' in command ? { ...command, by: command.by ?? 'process:model' } : command,
            ),
            ...rest,
          ),
      })),
    ],
    [
      'a settle beyond what may be overdrawn',
      wrong(DECIDE, ({ decideGroup }) => ({
        decideGroup: (commands, ...rest) =>
          decideGroup(
            commands.map((command) => {
              if (command.kind !== 'settle') return command;
              const features = Object.entries(command.features).map(
                ([name, price]) => [name, { ...price, overdraw: 1e9 }] as const,
              );
              return { ...command, features: Object.fromEntries(features) };
            }),
            ...rest,
          ),
      })),
    ],
    [
      'an entry of a spend that expires',
      wrong('../../../packages/contract/src/ledger.ts', ({ isRefusal }) => ({
        isRefusal: (entry) => entry.kind === 'consume' || isRefusal(entry),
      })),
    ],
  ],
);

describeMutants(
  'the model of the clock',
  './clock-service.ts',
  looks(600, 11),
  async ({ clockService }, look) => (await checkClock(clockService, look)).failure,
  [
    [
      'a period that begins at every look',
      wrong(SCHEDULE, ({ advance, NOT_BEGUN }) => ({
        advance: (pool, now) => advance({ ...pool, period: NOT_BEGUN }, now),
      })),
    ],
    [
      'credits that roll over without a cap',
      wrong(SCHEDULE, ({ advance }) => ({
        advance: (pool, now) => {
          const { rollover } = pool;
          if (rollover === undefined) return advance(pool, now);
          return { ...advance({ ...pool, rollover: Number.POSITIVE_INFINITY }, now), rollover };
        },
      })),
    ],
    [
      'periods that begin after what is paid',
      wrong(SCHEDULE, ({ advance }) => ({
        advance: (pool, now) => ({ ...advance({ ...pool, until: null }, now), until: pool.until }),
      })),
    ],
    [
      'credits that stay after their period',
      wrong(SCHEDULE, ({ advance }) => ({
        advance: (pool, now) => {
          const later = advance(pool, now);
          return later.period === pool.period ? pool : later;
        },
      })),
    ],
    [
      'a limit that counts nothing',
      wrong(SCHEDULE, () => ({ spendOf: (pool, credits) => ({ ...pool, left: pool.left - credits }) })),
    ],
    ['a period that is missing in the ledger', wrong(CREDITS, () => ({ periodEntry: () => null }))],
  ],
);

describeMutants(
  'the model of purchases by the clock',
  './purchase-service.ts',
  looks(150, 7, 1, 2, 3),
  ({ purchaseService }, look) => checkPurchases(purchaseService, look),
  [
    [
      'an allowance that begins anew with every event',
      wrong(POOLS, ({ poolsAfter }) => ({
        poolsAfter: (paid, _, __, ...rest) => poolsAfter(paid, [], {}, ...rest),
      })),
    ],
    [
      'an allowance that goes on unpaid',
      wrong(POOLS, ({ subscriptionPool }) => ({
        subscriptionPool: (...args) => {
          const pool = subscriptionPool(...args);
          return pool && { ...pool, terms: { ...pool.terms, until: null } };
        },
      })),
    ],
    [
      'an allowance that is whole again though more was spent than is left of it',
      wrong(POOLS, ({ poolsAfter }) => ({
        poolsAfter: (paid, known, withdrawn, ...rest) => {
          const owes = ({ source }: { readonly source: string }) => (withdrawn[source]?.left ?? 0) < 0;
          const kept = Object.entries(withdrawn).filter(([, pool]) => !owes(pool));
          return poolsAfter(
            paid,
            known.filter((pool) => !owes(pool)),
            Object.fromEntries(kept),
            ...rest,
          );
        },
      })),
    ],
    [
      'a pack that never expires',
      wrong('../../src/events/lots.ts', ({ lotsOf }) => ({
        lotsOf: (facts) => lotsOf(facts).map((lot) => ({ ...lot, expires: null })),
      })),
    ],
  ],
);

describeMutants(
  'the model of free credits',
  './free-world.ts',
  looks(1_500, 2),
  ({ freeWorld }, look) => checkFree(freeWorld, look),
  [
    [
      'a person who is forgotten',
      wrong(FREE, ({ decideFree }) => ({
        decideFree: (asker, pool, _, now) => decideFree(asker, pool, null, now),
      })),
    ],
    ['free credits that are switched off and still spent', wrong(FREE, () => ({ isOff: () => false }))],
    [
      'a lease that gives out more than it has',
      wrong(CEILING, ({ ceilingOf }) => ({
        ceilingOf: (...args) => Object.assign(ceilingOf(...args), { take: () => true }),
      })),
    ],
    [
      'what was taken for a failed write, given back twice',
      wrong(CEILING, ({ ceilingOf, FreeCeiling }) => ({
        ceilingOf: (...args) => {
          const ceiling = ceilingOf(...args);
          const giveBack: typeof ceiling.giveBack = (credits, ...at) =>
            FreeCeiling.prototype.giveBack.call(ceiling, 2 * credits, ...at);
          return Object.assign(ceiling, { giveBack });
        },
      })),
    ],
  ],
);

describeMutants(
  'the model of carried versions',
  './carried-world.ts',
  looks(600, 3),
  ({ playCarried }, look) => checkCarried(playCarried, look),
  [
    [
      'a version that another user can send',
      wrong('../../src/credits/versions.ts', ({ versionSeal }) => ({
        versionSeal: (secret) => {
          const { seal, open } = versionSeal(secret);
          const anyone = parseUid('anyone');
          if (anyone === null) throw new Error('not a uid');
          return {
            seal: (_, known, now) => seal(anyone, known, now),
            open: (_, text, now) => open(anyone, text, now),
          };
        },
      })),
    ],
  ],
);

import type { FreeCredits } from '@extension-billing/contract/catalog';
import fc from 'fast-check';
import { claimantOf } from '../../src/free/identity.ts';
import type { Account, Fails, freeWorld } from './free-world.ts';
import { type Look, play } from './play.ts';

type World = ReturnType<typeof freeWorld>;
export type MakeWorld = typeof freeWorld;

const PERIOD = 5 * 3_600_000;
/** Between two actions, so that what happens in one has other instants than what happens in the next. */
const STEP = 100;
const PEOPLE = 3;
const INSTANCES = 3;

/** What the owner publishes: never more than the first one in a period. */
const TERMS = {
  first: {},
  none: null,
  less: { credits: 5, guests: 2 },
  longer: { every: '10h' },
  once: { every: 'once' },
} as const satisfies Readonly<Record<string, Partial<FreeCredits> | null>>;

type Action =
  | { readonly do: 'open'; readonly person: number | null }
  | { readonly do: 'link'; readonly account: number; readonly person: number }
  | { readonly do: 'gift'; readonly account: number }
  | { readonly do: 'publish'; readonly terms: keyof typeof TERMS }
  | { readonly do: 'age' }
  | {
      readonly do: 'spend';
      readonly who: readonly number[];
      readonly kind: 'consume' | 'reserve';
      readonly cost: number;
    }
  | {
      readonly do: 'settle';
      readonly hold: number;
      readonly as: 'confirm' | 'release' | 'settle';
      readonly used: number;
    }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'fail'; readonly calls: number; readonly when: Fails };

const account = fc.nat(7);
const person = fc.nat(PEOPLE - 1);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('open' as const), person: fc.option(person, { freq: 3 }) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('link' as const), account, person }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('publish' as const),
      terms: fc.constantFrom('first', 'first', 'none', 'less', 'longer', 'once'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('age' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('gift' as const), account }) },
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('spend' as const),
      who: fc.array(account, { minLength: 1, maxLength: 6 }),
      kind: fc.constantFrom('consume' as const, 'consume' as const, 'reserve' as const),
      cost: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('settle' as const),
      hold: fc.nat(3),
      as: fc.constantFrom('confirm' as const, 'settle' as const, 'settle' as const, 'release' as const),
      used: fc.nat(8),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.nat(1.5 * PERIOD) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('fail' as const),
      calls: fc.nat(3),
      when: fc.constantFrom<Fails>('before', 'after', 'retried'),
    }),
  },
);

interface Hold {
  readonly account: Account;
  readonly key: string;
  readonly free: number;
  readonly at: number;
}
interface Link {
  readonly account: Account;
  readonly at: number;
  /**
   * Whether others may have had the person's free credits when this account first asked for them, so that what it got as
   * a guest doesn't count as the person's; null: it hasn't asked yet.
   */
  isLate: boolean | null;
}

/**
 * Plays histories of people with several accounts, who try as guests, add an address, and spend in several instances at
 * once while calls fail, the owner changes the catalogue or switches free credits off, and documents are of an earlier
 * build. Nobody gets more than the catalogue says, the project gives no more than its ceiling, and no request is
 * refused as busy unless the database failed.
 *
 * @returns fast-check's message about the first fault; null if there is none
 */
export async function checkFree(makeWorld: MakeWorld, look: Look): Promise<string | null> {
  const property = fc.asyncProperty(
    fc.record({
      actions: fc.array(action, { minLength: 5, maxLength: 40 }),
      dailyCeiling: fc.option(fc.integer({ min: 4, max: 12 }), { freq: 3 }),
    }),
    async ({ actions, dailyCeiling }) => {
      const free: FreeCredits = { credits: 8, every: '5h', guests: 3, verifiedEmail: false, dailyCeiling };
      const world = makeWorld(free, INSTANCES);
      const played = await playActions(world, actions, free);
      holdPeople(world, free, played.links);
      if (dailyCeiling !== null) holdCeiling(world, dailyCeiling, played.settled);
      if (world.torn().length > 0) throw new Error(`record and ledger differ: ${world.torn()}`);
      await holdNewcomer(world, free);
    },
  );
  return play('free', property, look, ({ actions, dailyCeiling }) => [
    `ceiling ${dailyCeiling}`,
    ...actions.map((each) => `  ${JSON.stringify(each)}`),
  ]);
}

async function playActions(world: World, actions: readonly Action[], free: FreeCredits) {
  const links: Link[] = [];
  const holds: Hold[] = [];
  const settled = new Map<string, Hold>();
  world.open(0);
  const accountOf = (index: number): Account | undefined => world.accounts[index % world.accounts.length];
  let isOff = false;
  for (const each of actions) {
    world.pass(STEP);
    switch (each.do) {
      case 'open':
        world.open(each.person);
        break;
      case 'link': {
        const guest = accountOf(each.account);
        if (guest === undefined || guest.person !== null) break;
        guest.person = each.person;
        links.push({ account: guest, at: world.now(), isLate: null });
        break;
      }
      case 'publish': {
        const changes = TERMS[each.terms];
        isOff = changes === null;
        world.publish(changes === null ? null : { ...free, ...changes });
        break;
      }
      case 'age':
        world.age();
        break;
      case 'gift':
        world.gift(accountOf(each.account)?.uid ?? '', 5);
        break;
      case 'spend': {
        const asked = each.who.flatMap((index) => accountOf(index) ?? []);
        for (const link of isOff ? [] : links)
          if (asked.includes(link.account)) settleLink(world, link, asked);
        const answers = await Promise.all(
          asked.map((who, index) => world.ask(who, index, { kind: each.kind, cost: each.cost })),
        );
        for (const [index, { kind, key, free: taken }] of answers.entries()) {
          const who = asked[index];
          const isHeld = each.kind === 'reserve' && kind === 'granted' && who !== undefined;
          const used = isHeld ? world.freeHeld(who.uid, key) : taken;
          if (isOff && used > 0) throw new Error(`${used} free credits were spent while they are off`);
          if (isHeld) holds.push({ account: who, key, free: world.freeHeld(who.uid, key), at: world.now() });
        }
        break;
      }
      case 'settle': {
        const [hold] = holds.splice(each.hold % Math.max(1, holds.length), 1);
        if (hold === undefined) break;
        settled.set(`${hold.account.uid} ${hold.key}`, hold);
        await world.ask(hold.account, each.hold, { kind: each.as, reservation: hold.key, used: each.used });
        break;
      }
      case 'pass':
        world.pass(each.ms);
        break;
      case 'fail':
        world.failAfter(each.calls, each.when);
        break;
      default:
        each satisfies never;
    }
  }
  return { links, settled };
}

function settleLink(world: World, link: Link, asked: readonly Account[]): void {
  const { person: who } = link.account;
  const isOthers = asked.some((other) => other !== link.account && other.person === who);
  link.isLate ??= isOthers || (who !== null && anchorOf(world, who) !== null);
}

/** When a person's periods begin, as the service remembers it; null if it doesn't know the person. */
function anchorOf(world: World, who: number): number | null {
  const claimant = claimantOf({ uid: '', email: `person${who}@example.com`, email_verified: true });
  const hash = claimant.kind === 'identity' ? claimant.hash : '';
  return world.database.documents.get(`free_identities/${hash}`)?.data.anchor ?? null;
}

/** Of each person's spends in each of their periods, and of each guest's, none goes beyond the catalogue. */
function holdPeople(world: World, free: FreeCredits, links: readonly Link[]): void {
  const spent = new Map<string, number>();
  const lent = new Map<string, number>();
  const add = (map: Map<string, number>, key: string, credits: number) =>
    map.set(key, (map.get(key) ?? 0) + credits);
  const periodOf = (anchor: number, at: number): number => Math.floor((at - anchor) / PERIOD);
  for (const { uid, credits, at } of world.spends()) {
    if (credits === 0) continue;
    const spender = world.accounts.find((each) => each.uid === uid);
    const link = links.find((each) => each.account === spender);
    const isGuests = spender?.person === null || (link?.isLate === true && at < link.at);
    if (isGuests) continue;
    const anchor = spender === undefined || spender.person === null ? null : anchorOf(world, spender.person);
    // Spent as a guest, and as yet nobody asked with the address.
    if (link !== undefined && at < link.at && (anchor === null || link.isLate === null)) continue;
    if (anchor === null) throw new Error(`${uid} spent ${credits}, and nothing is remembered of its person`);
    add(spent, `person ${spender?.person} period ${periodOf(anchor, at)}`, credits);
  }
  for (const { account: guest, at, isLate } of links) {
    const anchor = guest.person === null ? null : anchorOf(world, guest.person);
    // What a guest had left stays, for somebody who had had theirs: until the guest's period ends.
    if (isLate === false || anchor === null) continue;
    // With the longest of the periods.
    for (const then of [at, at + PERIOD, at + 2 * PERIOD]) {
      add(lent, `person ${guest.person} period ${periodOf(anchor, then)}`, free.guests);
    }
  }
  for (const [key, credits] of spent) {
    const most = free.credits + (lent.get(key) ?? 0);
    if (credits > most) throw new Error(`${key} got ${credits} of ${most} free credits`);
  }
  for (const guest of world.accounts.filter(({ person: who }) => who === null)) {
    const spends = world.spends().filter(({ uid }) => uid === guest.uid);
    if (spends.length === 0) continue;
    const first = Math.min(...spends.map(({ at }) => at));
    const total = spends.reduce((sum, { credits }) => sum + credits, 0);
    const periods = periodOf(first, world.now()) + 2;
    if (total > periods * free.guests)
      throw new Error(`guest ${guest.uid} got ${total} in ${periods} periods`);
  }
}

/** Of each day's spends, those that a reservation had counted before at the day of the reservation. */
function holdCeiling(world: World, ceiling: number, settled: ReadonlyMap<string, Hold>): void {
  const byDay = new Map<string, number>();
  const add = (at: number, credits: number): void => {
    const day = new Date(at).toISOString().slice(0, 10);
    byDay.set(day, (byDay.get(day) ?? 0) + credits);
  };
  for (const { uid, credits, at, reservation } of world.spends()) {
    const hold = settled.get(`${uid} ${reservation}`);
    const counted = Math.min(credits, hold?.free ?? 0);
    if (hold !== undefined) add(hold.at, counted);
    add(at, credits - counted);
  }
  for (const [day, credits] of byDay) {
    if (credits > ceiling)
      throw new Error(`on ${day} the project gave ${credits} of ${ceiling} free credits`);
  }
}

/**
 * A new person gets exactly what the catalogue says and the ceiling leaves, whatever others held and let go before on
 * the same day.
 */
async function holdNewcomer(world: World, free: FreeCredits): Promise<void> {
  const { credits, dailyCeiling } = free;
  world.failAfter(1_000_000, 'before');
  world.publish(free);
  // A day without holds and leases of the one before.
  world.pass(48 * 3_600_000);
  const greedy = world.open(PEOPLE);
  for (let round = 0; round < 8; round += 1) {
    const { key, kind } = await world.ask(greedy, 0, { kind: 'reserve', cost: 4 });
    if (kind !== 'granted') throw new Error(`free credits that were let go are not there again: ${kind}`);
    if (round % 2 === 1) world.pass(3_700_000);
    else await world.ask(greedy, 0, { kind: 'release', reservation: key, used: 0 });
  }
  const newcomer = world.open(PEOPLE + 1);
  let got = 0;
  while (got <= credits) {
    const { kind } = await world.ask(newcomer, dailyCeiling === null ? got : 0, { kind: 'consume', cost: 1 });
    if (kind !== 'granted') break;
    got += 1;
  }
  // The last hold of the greedy one has expired, which its next request finds out.
  const due = Math.min(credits, dailyCeiling === null ? credits : dailyCeiling - 4);
  if (got < due || got > credits) throw new Error(`a newcomer got ${got} of ${due} free credits`);
}

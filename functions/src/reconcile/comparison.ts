import type { Millis } from '@extension-billing/contract/customer';
import { DAY, HOUR } from '@extension-billing/contract/time';
import * as v from 'valibot';
import { byCustomer, byFacts, byGrant, byRecord } from './by-account.ts';
import { byEvent } from './by-event.ts';
import { bySubscription } from './by-subscription.ts';
import type { Look, Tally } from './look.ts';
import { NEVER_BEGUN, type PassPage, PassState } from './pass.ts';

/** A pass that is due once a day begins at the same hour of each, though the hour's runs begin some seconds later or earlier. */
const SLACK: Millis = HOUR / 2;

const Pass = v.optional(PassState, NEVER_BEGUN);

/** How far the comparison is: a later run, of another process, goes on with it. */
export const ComparisonState = v.object({
  events: Pass,
  subscriptions: Pass,
  facts: Pass,
  grants: Pass,
  records: Pass,
  customers: Pass,
});
export type ComparisonState = v.InferOutput<typeof ComparisonState>;
export const NOT_BEGUN: ComparisonState = v.parse(ComparisonState, {});

export type PassName = keyof ComparisonState;

interface PassKind {
  /** From its beginning to its next one. */
  readonly every: Millis;
  readonly page: (look: Look, pass: PassState) => Promise<PassPage>;
}

/**
 * In this order: first who has changed, then what the store alone can tell, and last what takes five calls of the
 * provider for each user, which goes on over as many runs as the rate of calls needs.
 */
const PASSES: PassKinds = {
  events: { every: HOUR - SLACK, page: byEvent },
  subscriptions: { every: DAY - SLACK, page: bySubscription },
  facts: { every: DAY - SLACK, page: byFacts },
  grants: { every: 7 * DAY - SLACK, page: byGrant },
  records: { every: 7 * DAY - SLACK, page: byRecord },
  customers: { every: DAY - SLACK, page: byCustomer },
};
export const PASS_NAMES = Object.keys(PASSES) as readonly PassName[];

export interface Place {
  readonly state: ComparisonState;
  readonly save: (state: ComparisonState) => Promise<void>;
}

export interface RunOptions {
  /** Asked before each page. */
  readonly mayGoOn: (pass: PassName) => boolean;
  /** A pass that is done is not begun again, however long ago that was. */
  readonly once?: boolean;
  readonly onPage?: (pass: PassName, state: PassState) => void;
}

export type PassKinds = Readonly<Record<PassName, PassKind>>;

export interface Summary extends Tally {
  /** False: some of it goes on with the next run. */
  readonly finished: boolean;
  /** Whole hours since the oldest pass began that is not done; 0 where none is open. */
  readonly behindHours: number;
}

/**
 * Goes on with the passes that are open and begins those that are due, page by page, and saves where it is after each. A
 * page that fails is tried again by the next run, and the other passes go on.
 */
export async function compareOn(
  look: Look,
  place: Place,
  options: RunOptions,
  passes: PassKinds = PASSES,
): Promise<Summary> {
  const { deps, tally } = look;
  let { state } = place;
  let finished = true;
  for (const name of PASS_NAMES) {
    let pass = state[name];
    if (!pass.isOpen) {
      const every = options.once === true && pass.begunAt > 0 ? Number.POSITIVE_INFINITY : passes[name].every;
      if (deps.now() - pass.begunAt < every) continue;
      pass = begin(pass, deps.now());
    }
    while (pass.isOpen) {
      if (!options.mayGoOn(name)) {
        finished = false;
        break;
      }
      const before = tally.failed + tally.undelivered.failed;
      const begun = { failed: tally.failed, notApplied: notApplied(tally) };
      const page = await pageOf(look, passes[name], pass);
      if (page === 'away') {
        look.putOff.failed += tally.failed - begun.failed;
        look.putOff.notApplied += notApplied(tally) - begun.notApplied;
        finished = false;
        break;
      }
      const failed = pass.failed + tally.failed + tally.undelivered.failed - before;
      pass = { ...pass, cursor: page.next, isOpen: page.next !== null, done: pass.done + page.done, failed };
      tally.seen[name] = (tally.seen[name] ?? 0) + page.done;
      state = { ...state, [name]: pass };
      await place.save(state);
      options.onPage?.(name, pass);
    }
  }
  return { ...tally, finished, behindHours: behindOf(state, deps.now()) };
}

/**
 * The next pass, from where the last one began. It goes back to what failed: each time within a day, and then once a day, or
 * one event that nothing can apply would have all of a month listed each hour.
 */
function begin(last: PassState, now: Millis): PassState {
  const owed = owedAfter(last);
  const goesBack = owed !== null && (now - owed < DAY || now - last.wentBackAt >= DAY - SLACK);
  return {
    ...{ begunAt: now, isOpen: true, cursor: null },
    ...{ done: 0, failed: 0, since: goesBack ? owed : last.begunAt, owed },
    wentBackAt: goesBack ? now : last.wentBackAt,
  };
}

function owedAfter({ failed, since, owed }: PassState): Millis | null {
  if (failed > 0) return Math.min(owed ?? since, since);
  return owed !== null && since > owed ? owed : null;
}

function notApplied({ undelivered: { found, applied } }: Tally): number {
  return found - applied;
}

async function pageOf(look: Look, kind: PassKind, pass: PassState): Promise<PassPage> {
  try {
    return await kind.page(look, pass);
  } catch (error) {
    look.fail(error);
    return 'away';
  }
}

function behindOf(state: ComparisonState, now: Millis): number {
  const open = PASS_NAMES.map((name) => state[name]).filter(({ isOpen }) => isOpen);
  return Math.floor(Math.max(0, ...open.map(({ begunAt }) => now - begunAt)) / HOUR);
}

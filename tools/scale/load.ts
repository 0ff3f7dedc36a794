import { billOf, totalOf } from '../cost/bill.ts';
import { addUp } from '../cost/compute-cost.ts';
import type { Measured } from '../cost/counted.ts';
import { SECONDS, TARGET_UTILISATION } from '../cost/prices.ts';
import type { EntrySize } from '../cost/sizes.ts';
import {
  eachOf,
  JOBS,
  MINUTES_OF_RUN,
  monthOf,
  NON_PAYER,
  PAYER,
  PROFILES,
  type Profile,
} from '../cost/workload.ts';
import { LIMITS, minutesOfRamp, OWN } from './limits.ts';

// What a business of some size asks of each part at its busiest, beside what that part allows.

export interface Scenario {
  readonly name: string;
  readonly profile: Profile;
  readonly accounts: number;
}

/** The busiest seconds have so many times the mean of a month: most of a day's use falls into a few hours. */
export const PEAK = 10;
/** Purchases in a month for each payer, and calls to the provider that a first one takes (row h). */
const PURCHASES = 0.1;
const CALLS_OF_PURCHASE = 3;

/** @throws Error where there is no such profile */
function profileOf(name: string): Profile {
  const found = PROFILES.find((profile) => profile.name === name);
  if (found === undefined) throw new Error(`there is no profile "${name}"`);
  return found;
}

const accountsFor = (consumesPerSecond: number): number =>
  Math.round((consumesPerSecond / PEAK) * (SECONDS / PAYER.consumes));

export const SCENARIOS: readonly Scenario[] = [
  { name: '1,000 accounts', profile: profileOf('10 % pay'), accounts: 1_000 },
  { name: '100,000 accounts', profile: profileOf('10 % pay'), accounts: 100_000 },
  { name: '10,000,000 accounts', profile: profileOf('10 % pay'), accounts: 10_000_000 },
  { name: '100,000 consumes a second', profile: profileOf('all metered'), accounts: accountsFor(100_000) },
];

export interface Part {
  readonly what: string;
  readonly demand: number;
  readonly limit: number;
  readonly unit: string;
}

export interface Load {
  readonly consumes: number;
  readonly parts: readonly Part[];
  /** Minutes of the ramp from nothing to the busiest second. */
  readonly rampMinutes: number;
  /** Dollars in a month of the third year. */
  readonly bill: number;
}

const AT_ONCE = 'Firestore at once';

export function loadOf({ profile, accounts }: Scenario, measured: Measured, entry: EntrySize): Load {
  const payers = accounts * profile.payers;
  const free = accounts - payers;
  const lines = monthOf(profile, accounts, measured);
  const atPeak = (month: number): number => (month / SECONDS) * PEAK;
  const requests = atPeak(lines.reduce((sum, line) => sum + line.requests, 0));
  // The jobs are spread over the day.
  const asked = monthOf(profile, accounts, measured, { jobs: [] });
  const { reads, writes, deletes } = addUp(asked.map(({ operations }) => operations));
  const operations = atPeak(reads + writes + deletes);
  const instances = (requests * measured.cpuMs) / 1_000 / TARGET_UTILISATION;
  const bill = totalOf(
    billOf({ profile, accounts, year: 3, isCompacted: true, hasFreeTier: true }, measured, entry),
  );
  return {
    consumes: atPeak(payers * PAYER.consumes + free * NON_PAYER.consumes),
    parts: [
      { what: 'instances', demand: instances, limit: OWN.maxInstances, unit: '`BILLING_MAX_INSTANCES`' },
      { what: 'processors', demand: instances, limit: LIMITS.run.vcpuOfRegion, unit: 'vCPU of a region' },
      {
        what: AT_ONCE,
        demand: operations,
        limit: LIMITS.firestore.rampFrom,
        unit: 'operations a second',
      },
      {
        what: 'Stripe',
        demand: atPeak(payers * PURCHASES * CALLS_OF_PURCHASE) + OWN.providerCalls,
        limit: LIMITS.stripe.requests,
        unit: 'requests a second',
      },
      ...JOBS.map((job) => partOfJob(job, measured, free, payers)),
    ],
    rampMinutes: minutesOfRamp(operations),
    bill,
  };
}

/** A job goes from account to account: the calls of one wait for each other, and for their turn at the provider. */
function partOfJob(
  { job, within, atOnce, rounds, active }: (typeof JOBS)[number],
  { jobs }: Measured,
  free: number,
  payers: number,
): Part {
  const sum = (name: 'calls' | 'providerCalls'): number =>
    free * eachOf(jobs, job, 'free')[name] +
    payers * eachOf(jobs, job, 'payer')[name] +
    ((free * active(NON_PAYER) + payers * active(PAYER)) / rounds) * eachOf(jobs, job, 'active')[name];
  const calls = (sum('calls') * OWN.roundTripMs) / 1_000 / atOnce;
  const asked = sum('providerCalls') / OWN.providerCalls;
  return {
    what: `\`${job}\``,
    demand: Math.max(calls, asked) / (60 * 24 * MINUTES_OF_RUN),
    limit: within,
    unit: within === 1 ? 'day for a round' : 'days for a round',
  };
}

/** Of what a part allows, so much has to be asked before it is worth a word. */
const NEAR = 0.5;

/**
 * What comes to its end first: the part of which most is asked, of what it allows. Null where nothing is near its end.
 *
 * @param isLaunch all at once, on a database that had no traffic; else grown over weeks
 */
export function firstToBreak({ parts }: Pick<Load, 'parts'>, isLaunch: boolean): Part | null {
  const [first] = parts
    .filter(({ what }) => isLaunch || what !== AT_ONCE)
    .toSorted((one, other) => other.demand / other.limit - one.demand / one.limit);
  return first === undefined || first.demand / first.limit < NEAR ? null : first;
}

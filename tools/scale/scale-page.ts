import { readFileSync, writeFileSync } from 'node:fs';
import { costOfOperations, costOfSecond } from '../cost/compute-cost.ts';
import { type Measured, readDocs } from '../cost/counted.ts';
import { INSTANCE, PRICES, SECONDS, TARGET_UTILISATION } from '../cost/prices.ts';
import { deployedEntry, type EntrySize } from '../cost/sizes.ts';
import { count, dollars, percent, rough, table } from '../cost/texts.ts';
import { type Contention, type ContentionCase, LEASES, simulateContention } from './contention.ts';
import {
  daysOfCalls,
  FIRST_COMPARISON,
  type Growth,
  projected,
  readGrowth,
  tableOfGrowth,
} from './growth.ts';
import { LIMITS, minutesOfRamp, OWN } from './limits.ts';
import { firstToBreak, type Load, loadOf, PEAK, SCENARIOS } from './load.ts';
import { type Routing, type RoutingCase, simulateRouting } from './routing.ts';

/** docs/scale.json: what was played, so that the page can be made again without playing it. */
export interface Played {
  readonly routing: readonly (RoutingCase & Routing)[];
  readonly contention: readonly (ContentionCase & Contention)[];
  readonly leases: readonly (ContentionCase & Contention)[];
}

/** So many consumes a second of each instance: few enough to be played, and more only fill its memory. */
const PER_INSTANCE = 25;
const ROUTING: readonly RoutingCase[] = [1, 4, 28].flatMap((instances) =>
  [true, false].map((isCarried) => ({
    ...{ instances, perSecond: instances * PER_INSTANCE, consumes: 30_000, isCarried },
  })),
);
export const CONTENTION: readonly ContentionCase[] = [1, 4, 28].flatMap((instances) =>
  [1, 5, 20, 100, 1_000].map((perSecond) => ({
    ...{ instances, perSecond, seconds: 60, roundTripMs: OWN.roundTripMs },
  })),
);

const LEASED: readonly ContentionCase[] = [4, 28, 100, 280].map((instances) => ({
  ...{ instances, perSecond: null, seconds: 1, roundTripMs: OWN.roundTripMs },
}));

export function simulateAll(): Played {
  return {
    routing: ROUTING.map((one) => ({ ...one, ...rounded(simulateRouting(one)) })),
    contention: CONTENTION.map((one) => ({ ...one, ...rounded(simulateContention(one)) })),
    leases: LEASED.map((one) => ({ ...one, ...rounded(simulateContention(one, LEASES)) })),
  };
}

/** Three digits that count, as the file holds them. */
export function rounded<Figures extends object>(figures: Figures): Figures {
  const round = (_key: string, value: unknown): unknown =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(3)) : value;
  return JSON.parse(JSON.stringify(figures, round)) as Figures;
}

interface Sources {
  readonly played: Played;
  readonly growth: Growth;
  readonly measured: Measured;
  readonly entry: EntrySize;
}

function renderScale({ played, growth, measured, entry }: Sources): string {
  const { routing, contention, leases } = played;
  const loads = SCENARIOS.map((scenario) => loadOf(scenario, measured, entry));
  return `# How far it goes

<!-- Written by tools/scale.ts from docs/performance.json, docs/operations.json, docs/scale.json, docs/growth.json and tools/scale/; a test holds it to them. -->

What breaks first as a business grows, what carries each part then, and what would change in the code. Nobody has run this service at these sizes. It is arithmetic and simulation on operations that were counted (row h of [performance](performance.md), the jobs in [cost](cost.md#the-scheduled-jobs)), held against what Google and Stripe document. Where Google documents no limit, that is said.

## What breaks first

Busiest seconds are taken as ${PEAK} times a month's mean. In each cell is what is asked of a part, and the share of what it allows; **bold** is too much.

${tableOfParts(loads)}

- **Instances**: ${rough(measured.cpuMs)} ms of processor time a request on the benchmark's machine (Cloud Run's were not measured), and Cloud Run starts another instance above [${percent(TARGET_UTILISATION)}](${LIMITS.run.scaling}). Your first own limit is \`BILLING_MAX_INSTANCES\`, then the [vCPU quota](${LIMITS.run.source}) of the region (${count(LIMITS.run.vcpuOfRegion)} in Google's example; ask for more).
- **Firestore at once** is what a database takes that had no traffic before: ${LIMITS.firestore.rampFrom} operations a second, and half as many again every ${LIMITS.firestore.rampEveryMinutes} minutes ([500/50/5](${LIMITS.firestore.source})). It is no limit of what it takes after that ramp, for which none is documented: growth over weeks passes it unseen, a launch before a crowd does not.
- **Stripe** is ${LIMITS.stripe.requests} requests a second for a live account ([documented](${LIMITS.stripe.source})), ${OWN.providerCalls} of them kept for the comparison.
- **A job** goes from account to account, some side by side, with ${OWN.roundTripMs} ms to Firestore and ${OWN.providerCalls} calls a second to Stripe, for 25 minutes a run; the next run goes on where it ended.
- No document is written for all accounts, and no index rises over all of them (${LIMITS.firestore.sequentialWrites} writes a second would be its end; [why](decisions/firestore.md#only-queried-fields-are-indexed)), except the day's counter of free credits where the catalogue has a \`dailyCeiling\`: instances lease blocks of it ([why](decisions/free-credits.md#a-ceiling-per-day-leased-by-instances)). A job's own document is written by that job alone.

## Jobs and commands as customers grow

${tableOfGrowth(growth)}

${aboutGrowth(growth)}

## Settings

What so many instances serve, and what a flood could cost at most, while they are all busy the whole month: in the function, and in Firestore if all of it were spends.

${tableOfSettings(measured)}

A kept instance (\`BILLING_MIN_INSTANCES\`) is ${dollars(SECONDS * PRICES.idleSecond * (INSTANCE.vcpu + INSTANCE.gib))} a month while nobody asks; the first spend on a new one waits for its start ([row f](performance.md)).

## Consumes on many instances

Users in sessions of ten spends, 20 s apart, each request at an instance of chance; the memories are the service's own code, a user in a session's first spend is new to all.

${tableOfRouting(routing)}

With the version that the client carries ([why](decisions/credits.md#the-client-carries-the-version)) the number of instances is of no matter: what is left is the first spend of a session, a read and a commit. The benchmark counts it on real instances ([performance](performance.md)).

## One account that many spend from

A team, or a tenant of a backend, is one record. Requests of one instance share commits, up to a hundred in each; instances do not know of each other, and whoever names an old version reads and tries again, twelve times within six seconds. Nobody carries a version here.

${tableOfContention(contention)}

Google documents about ${LIMITS.firestore.writesOfDocument} write a second for one document, sustained; it takes more for a while, and then waits and conflicts more than it does here, where only versions conflict. So one account is good for some tens of spends a second on a few instances, and for more only where one instance has it: a backend that charges many at once does so best from one process, or with holds that are larger and fewer ([service callers](service-callers.md)).

## Midnight, where free credits have a ceiling

All instances come for a lease of the new day's free credits at the same moment: the one document that is written for all accounts.

${tableOfLeases(leases)}

A spend whose lease was refused begins anew within its six seconds, and is a 503 after them, to be sent again with its key; spends of plans and packs ask for none. Above a hundred instances that give for free, a counter for each of several groups of users is what would change (\`free/ceiling.ts\`, the counter's id).

## From nothing to full

${tableOfRamp()}

Before a launch: raise the traffic over as long, or begin with the part of the crowd that the first line allows. \`BILLING_MIN_INSTANCES\` spares the first ones the starts of instances, not this.

## What carries each part, and what would change

| part | carries it now | comes to its end | then, on an engine that exists | changes | stays |
| --- | --- | --- | --- | --- | --- |
| spends of many accounts | one Firestore database | no end is documented; the ramp, then the bill | several databases of the project (${LIMITS.firestore.databases} [at most](${LIMITS.firestore.quotas})), the uid says which | \`deps.ts\` gives a database for a uid, \`provider_customers\` and markers stay in the first; jobs and commands walk each; the listener of the client names its own; rules and indexes are deployed to each | decision, commit, ledger, facts, routes: nothing is ever written for two accounts together |
| spends of one account | group commit, preconditions | tens a second on several instances | leases per account, as the free ceiling has them: an instance takes a block out of the record and spends it by entries alone | \`credits/commit.ts\`, an entry of its own kind for a lease and its end, the balance that pages show while blocks are out | the decision, the keys, one entry for each spend before its answer, the sum |
| reach, and the loss of a region | one region | Google's promise for it | Firestore's multi-regions nam5 and eur3 | nothing: choose it when the database is made, it cannot be moved; operations cost twice, and a commit waits for two regions | everything |
| requests from all over the world | \`BILLING_REGION\` | the way there | Cloud Run in several regions behind a global load balancer | the list of regions in \`index.ts\`, one address in front | versions are carried and commits name them, so any instance anywhere is right; but each waits for the database's region |
| bursts of events | Stripe's own delivery, which repeats for three days; a queue for each user | all instances busy: 503, and Stripe waits longer each time | Cloud Tasks: ${LIMITS.tasks.dispatchesOfQueue} dispatches a second for a [queue](${LIMITS.tasks.source}), the event's id as the task's name | the webhook's route checks the signature and enqueues; a second route, for the queue's account alone, does what it does now | \`handleDelivery\`, facts in any order, markers, the transaction |
| the comparison | ${OWN.providerCalls} calls a second, cursors ([why](decisions/reconcile.md#passes-with-cursors)) | a round takes longer than a week: above | Stripe's limit raised, \`BILLING_PROVIDER_CALLS_PER_SECOND\` with it | nothing | everything |
| listeners | Firestore's: one for each open page | none is documented any more (in 2019 a million at a time for a database) | the service's answers alone, which carry the balance | pages would ask instead of listen | the snapshot |
| figures over all accounts | days that a job adds up ([why](decisions/reports.md#days-are-added-up-once)) | the job needs more than a day for a day: above | an export of Firestore to BigQuery | a query there, in the place of the job | the ledger |
| logs | Cloud Logging | the bill: ${dollars(PRICES.logging)} a GiB | exclusion filters, a sink to Cloud Storage | nothing | the lines |

At 100,000 consumes a second Firestore's writes alone are ${dollars(100_000 * 2 * PRICES.write)} a second. Leases with an entry for each spend would halve that; who spends so often prices in larger units, or holds once and settles once for many.
`;
}

function aboutGrowth(growth: Growth): string {
  const { providerCalls = 0 } = projected(growth[FIRST_COMPARISON] ?? {});
  return `Measured by \`npm run suite -- node tools/bench/grow-comparison.ts\` and \`… grow-commands.ts\`, each with \`--customers 1000,10000 --record\`: one in 33 customers pays, each has five entries in the month, and a tenth do something on a day. A dash was not measured. Reads, writes and calls to the provider (without a rate) are exact. Seconds are those of a local suite on two shared cores that were busy with other work, with a start of Node in each; of use as ratios only. The emulator's store reads a query from its start for each page, so what walks all customers takes there a share of the square; a deployed Firestore seeks.

For ${count(10_000_000)} customers like these the first comparison asks the provider ${rough(providerCalls)} times: ${rough(daysOfCalls(providerCalls))} days at ${OWN.providerCalls} calls a second. What walks all customers goes on where it was stopped, a job in its next run, a command by \`--resume\`. Memory is not projected: each holds some pages of customers, never all. The first 31 days are added up once, after the deployment; the report reads such days, 31 documents a month, however many customers there are.`;
}

const SHARE_TOO_MUCH = 1;

function tableOfParts(loads: readonly Load[]): string {
  const [first] = loads;
  const cell = (load: Load, n: number): string => {
    const part = load.parts[n];
    if (part === undefined) return '';
    const share = part.demand / part.limit;
    const text = `${rough(part.demand)} (${share < 0.01 ? '< 1' : rough(share * 100)} %)`;
    return share > SHARE_TOO_MUCH ? `**${text}**` : text;
  };
  const rows = (first?.parts ?? []).map(({ what, unit, limit }, n) => [
    what,
    `${count(limit)} ${unit}`,
    ...loads.map((load) => cell(load, n)),
  ]);
  const row = (what: string, of: (load: Load) => string): readonly string[] => [what, '', ...loads.map(of)];
  return table(
    ['', 'allowed', ...SCENARIOS.map(({ name, profile }) => `${name}, ${profile.name}`)],
    [
      row('consumes a second', ({ consumes }) => rough(consumes)),
      ...rows,
      row('minutes of the ramp, from nothing', ({ rampMinutes }) => `${rampMinutes}`),
      row('a month in the third year', ({ bill }) => `$${rough(bill)}`),
      row('**first, where it grew over weeks**', (load) => firstToBreak(load, false)?.what ?? 'nothing'),
      row('**first, in a launch**', (load) => firstToBreak(load, true)?.what ?? 'nothing'),
    ],
    2,
  );
}

function tableOfSettings({ cpuMs, operationsOf }: Measured): string {
  const spend = costOfOperations(operationsOf('consume, of a user seen lately'));
  const rows = [1, 3, 10, 100, 1_000].map((instances) => {
    const perSecond = (instances * TARGET_UTILISATION * 1_000) / cpuMs;
    const month = perSecond * SECONDS;
    return [
      count(instances),
      rough(perSecond),
      `$${rough(instances * SECONDS * costOfSecond() + month * PRICES.request)}`,
      `$${rough(month * spend)}`,
    ];
  });
  const heading = [
    '`BILLING_MAX_INSTANCES`',
    'spends a second',
    'the function, a month',
    'Firestore, a month',
  ];
  return table(heading, rows);
}

function tableOfRouting(routing: Played['routing']): string {
  const rows = routing.map(({ instances, perSecond, isCarried, calls, reads, known, looked, stale }) => [
    `${instances}`,
    isCarried ? 'yes' : 'no',
    count(perSecond),
    ...[calls, reads].map((each) => each.toFixed(2)),
    ...[known, looked, stale].map((share) => `${(share * 100).toFixed(1)} %`),
  ]);
  const heading = ['instances', 'carried', 'a second', 'calls', 'reads', 'known', 'looked up', 'old'];
  return table(heading, rows, 2);
}

function tableOfContention(contention: Played['contention']): string {
  const rows = contention.map(({ instances, perSecond, answered, failed, writes, attempts, p50, p99 }) => [
    `${instances}`,
    count(perSecond ?? 0),
    rough(writes),
    attempts.toFixed(1),
    `${rough(p50)} ms`,
    `${rough(p99)} ms`,
    `${((100 * failed) / Math.max(1, answered + failed)).toFixed(1)} %`,
  ]);
  const heading = [
    'instances',
    'spends a second',
    'writes of the record',
    'commits for each',
    'p50',
    'p99',
    '503',
  ];
  return table(heading, rows);
}

function tableOfLeases(leases: Played['leases']): string {
  const rows = leases.map(({ instances, answered, failed, attempts, p50, p99 }) => [
    `${instances}`,
    attempts.toFixed(1),
    `${rough(p50)} ms`,
    `${rough(p99)} ms`,
    `${((100 * failed) / Math.max(1, answered + failed)).toFixed(1)} %`,
  ]);
  return table(['instances', 'writes for each lease', 'p50', 'p99', 'refused after 20 attempts'], rows);
}

function tableOfRamp(): string {
  const rows = [500, 2_000, 20_000, 200_000].map((perSecond) => [
    count(perSecond),
    count(perSecond / 2),
    `${minutesOfRamp(perSecond)}`,
  ]);
  return table(['writes a second', 'spends a second', 'minutes of the ramp'], rows);
}

const at = (path: string): URL => new URL(`../../${path}`, import.meta.url);

export function readPlayed(): Played {
  return JSON.parse(readFileSync(at('docs/scale.json'), 'utf8'));
}

/** docs/scale.md as it should be now. */
export function scalePage(): string {
  return renderScale({
    ...{ played: readPlayed(), growth: readGrowth() },
    ...{ measured: readDocs(), entry: deployedEntry() },
  });
}

export function writeScalePage(): void {
  writeFileSync(at('docs/scale.md'), scalePage());
}

export function writeScale(played: Played): void {
  writeFileSync(at('docs/scale.json'), `${JSON.stringify(played, null, 2)}\n`);
  writeScalePage();
}

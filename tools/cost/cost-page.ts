import { writeFileSync } from 'node:fs';
import { writeScalePage } from '../scale/scale-page.ts';
import { type Bill, billOf, type Case, LOGGED_BYTES, storedGib, totalOf } from './bill.ts';
import { addUp, costOfOperations, costOfRequests, times } from './compute-cost.ts';
import { type Measured, readDocs } from './counted.ts';
import { BILLED_STEP_MS, FREE, INSTANCE, PRICES, SECONDS } from './prices.ts';
import { deployedEntry, type EntrySize, sizeOfEntry } from './sizes.ts';
import { cents, count, dollars, percent, table } from './texts.ts';
import {
  ASSUMED,
  COMPACTION,
  eachOf,
  monthOf,
  NON_PAYER,
  PAYER,
  PROFILES,
  type Profile,
} from './workload.ts';

const MILLION = 1_000_000;
/** The tables of a month are for so many accounts. */
const ACCOUNTS = 1_000;
const YEARS = [1, 2, 3, 5] as const;
const SIZES = [1_000, 10_000, 100_000, 1_000_000, 10_000_000] as const;

const REQUESTS = [
  [
    'consume, of a user seen lately',
    'consume, of a user seen in the last minute, or whose version the client carries',
  ],
  ['consume, of a user not seen lately', 'consume, of another user'],
  ['consume, refused', 'consume, refused (402)'],
  ['consume, sent again with its key', 'consume, repeated with its key'],
  ['balance', 'balance'],
  ['webhook, a renewal', 'event of a renewal'],
  ['checkout of a plan, price and customer known', 'checkout of a plan'],
] as const;

/** docs/cost.md, from what was measured, the list prices and what a ledger entry takes as it is deployed. */
function renderCost(measured: Measured, entry: EntrySize): string {
  const usual = sizeOfEntry(() => true);
  const kept = PRICES.storage + PRICES.pitr + 7 * PRICES.backup;
  return `# What it costs

<!-- Written by tools/cost.ts from docs/performance.json, docs/operations.json and tools/cost/; a test holds it to them. -->

Google's part of the bill, in US dollars, for us-central1. **List prices as of ${PRICES.readOn}, to check** before you count on them: [Firestore](${PRICES.sources.firestore}), [Cloud Run](${PRICES.sources.run}), [Cloud Logging](${PRICES.sources.logging}), [traffic](${PRICES.sources.network}), [Cloud Scheduler](${PRICES.sources.scheduler}). The multi-region nam5 takes twice as much for Firestore's operations. What Stripe takes of each payment is not in it.

What is counted: reads, writes and deletes of each kind of request and job, and the bytes of documents and answers, on the wire of the emulators. What is assumed: how many accounts do what how often. Nobody has paid such a bill yet: compare the first month's with this page.

## A million requests

Reads and writes are those that one request was seen to make (row h of [performance](performance.md)); Firestore bills by them, beyond a free tier. Cloud Run bills the time in which an instance (${INSTANCE.vcpu} vCPU, ${INSTANCE.gib} GiB) has a request. The lower figure is a busy instance that many requests share, at the measured ${Math.ceil(measured.cpuMs)} ms of processor time each (row a, rounded up; for other requests than consumes an estimate); the upper one is a request alone on its instance, for one billed step of ${BILLED_STEP_MS} ms. Both have ${dollars(PRICES.request * MILLION)} for the million requests.

${tableOfRequests(measured)}

A spend costs two writes, the balance and its ledger entry, and no read where the version is known: that is the floor for a balance with a ledger, and the reason why nothing else is written.

## Who does what

| a month | somebody who pays | who never buys |
| --- | ---: | ---: |
| spends, of one credit each | ${count(PAYER.consumes)} | ${count(NON_PAYER.consumes)}, the free ones |
| spends that are refused | ${count(PAYER.refused)} | ${count(NON_PAYER.refused)} |
| a page of the extension is opened | ${count(PAYER.openings)} | ${count(NON_PAYER.openings)} |
| events of a renewal | ${count(PAYER.events)} | ${count(NON_PAYER.events)} |

Of all spends ${percent(ASSUMED.unseen)} are of a user whom neither the instance nor the client's version knows, and during ${percent(ASSUMED.watched)} a page shows the balance, whose listener reads each change. A background that nobody looks at reads its user's record once a day ([why](decisions/client-worker.md#a-wake-without-a-viewer-listens-to-nothing)). Three profiles: of ${count(ACCOUNTS)} accounts 30, 100, or all pay. Change the figures in \`tools/cost/workload.ts\` to yours, and run \`node tools/cost.ts\`.

## A month of ${count(ACCOUNTS)} accounts: operations

${tableOfMonth(measured)}

## By year

The last month of each year, for ${count(ACCOUNTS)} accounts that were all there from the beginning, before any free tier; the function as if they had it for themselves. Backups are daily and kept for a week, each as large as the database; point-in-time recovery is billed as the database once more ([both](operating.md#of-a-project)).

${PROFILES.map((profile) => tableOfYears(profile, measured, entry)).join('\n\n')}

An entry of the ledger takes ${count(entry.document)} bytes and its indexes ${count(entry.indexes)}; with Firestore's usual indexes it would be ${count(usual.document + usual.indexes)}. ${compacted(measured)} A record is ${count(measured.bytes.record)} bytes, what the provider said of a payer ${count(measured.bytes.facts)}.

## By size

The same after the free tier, in the third year, old entries rolled.

${tableOfSizes(measured, entry)}

Free each day are ${count(FREE.readsPerDay)} reads, ${count(FREE.writesPerDay)} writes and ${count(FREE.deletesPerDay)} deletes, and each month ${count(FREE.requests)} requests with ${count(FREE.vcpuSeconds)} vCPU-seconds, ${FREE.storedGib} GiB stored, ${FREE.egressGib.firestore} GiB sent by Firestore and ${FREE.egressGib.run} by the function, ${FREE.loggedGib} GiB of logs and ${FREE.schedules} scheduled jobs of a billing account (${dollars(PRICES.schedule)} for another). Deletes by a TTL policy, backups and point-in-time recovery are never free. An instance that is kept (\`BILLING_MIN_INSTANCES=1\`) is ${dollars(SECONDS * PRICES.idleSecond * (INSTANCE.vcpu + INSTANCE.gib))} a month.

## The scheduled jobs

${tableOfJobs(measured)}

Counted on the wire, with ${'`npm run suite -- node tools/bench/count-jobs.ts`'}: a run with nobody there, then what each account adds, whether it did something or not, and each spend of one that did. "For nothing" is an account without a customer at Stripe. The comparison is a day in the mean, with all of its runs. It has the database add up each ledger that was written to, a read for each thousand entries: those are in the months above, not here.

## Where it goes, and what one could do

- Of the operations most is the ledger's and the balance's writes. Fewer, larger spends (a feature that costs 10 credits instead of ten times 1) cost a tenth.
- What is stored is paid for ${(kept / PRICES.storage).toFixed(1)} times: as the database, as seven backups, and as point-in-time recovery. Where one of the two is enough: without the backups it is ${percent((7 * PRICES.backup) / kept)} less, without the recovery ${percent(PRICES.pitr / kept)}.
- The listener's read comes with every change while a page is open. It is what makes every surface show the balance at once.
- Reservations are two commits instead of one: four writes.
- Logs are ${count(LOGGED_BYTES)} bytes a request (an estimate), most of it Cloud Run's own request log. Beyond ${FREE.loggedGib} GiB, which is ${count(Math.floor((FREE.loggedGib * 2 ** 30) / LOGGED_BYTES / MILLION))} million requests, an exclusion filter on \`run.googleapis.com/requests\` of answers below 400 takes four fifths off.
`;
}

function tableOfRequests(measured: Measured): string {
  const { busy, alone } = costOfRequests(MILLION, Math.ceil(measured.cpuMs));
  const rows = REQUESTS.map(([what, name]) => {
    const each = measured.operationsOf(what);
    const store = costOfOperations(times(MILLION, each));
    const { reads, writes } = each;
    return [
      name,
      `${reads}`,
      `${writes}`,
      dollars(store),
      `${dollars(store + busy)} to ${dollars(store + alone)}`,
    ];
  });
  return table(['a million of', 'reads each', 'writes each', 'Firestore', 'with the function'], rows);
}

function tableOfMonth(measured: Measured): string {
  const months = PROFILES.map((profile) => monthOf(profile, ACCOUNTS, measured));
  const [first = []] = months;
  const cost = (operations: Parameters<typeof costOfOperations>[0]): string =>
    dollars(costOfOperations(operations));
  const rows = first.map(({ what }, n) => [
    what,
    ...months.map((lines) => cost(lines[n]?.operations ?? { reads: 0, writes: 0 })),
  ]);
  const sums = months.map((lines) => addUp(lines.map(({ operations }) => operations)));
  const sum = (name: 'reads' | 'writes' | 'deletes'): readonly string[] => [
    name,
    ...sums.map((each) => count(Math.round(each[name]))),
  ];
  return table(
    ['what', ...PROFILES.map(({ name }) => name)],
    [
      ...rows,
      ['**all**', ...sums.map((each) => `**${cost(each)}**`)],
      sum('reads'),
      sum('writes'),
      sum('deletes'),
    ],
  );
}

const PARTS: Readonly<Record<keyof Bill, string>> = {
  operations: 'reads, writes, deletes',
  function: 'the function',
  jobs: 'the jobs, while they wait for Stripe',
  storage: 'storage',
  backups: 'seven backups',
  pitr: 'point-in-time recovery',
  egress: 'traffic to users',
  logs: 'logs',
};

function tableOfYears(profile: Profile, measured: Measured, entry: EntrySize): string {
  const cases = (isCompacted: boolean): readonly Case[] =>
    YEARS.map((year) => ({ profile, accounts: ACCOUNTS, year, isCompacted, hasFreeTier: false }));
  const bills = cases(true).map((one) => billOf(one, measured, entry));
  const totals = bills.map(totalOf);
  const kept = cases(false).map((one) => totalOf(billOf(one, measured, entry)));
  const parts = Object.entries(PARTS) as readonly (readonly [keyof Bill, string])[];
  const stored = (isCompacted: boolean): readonly string[] =>
    cases(isCompacted).map((one) => `${storedGib(one, measured, entry).toFixed(2)} GiB`);
  return table(
    [`**${profile.name}**`, ...YEARS.map((year) => `year ${year}`)],
    [
      ...parts.map(([part, name]) => [name, ...bills.map((bill) => dollars(bill[part]))]),
      ['**all**', ...totals.map((total) => `**${dollars(total)}**`)],
      ['for each account', ...totals.map((total) => cents(total / ACCOUNTS))],
      ['stored', ...stored(true)],
      ['all, were old entries kept', ...kept.map(dollars)],
      ['stored then', ...stored(false)],
    ],
  );
}

function tableOfSizes(measured: Measured, entry: EntrySize): string {
  const rows = PROFILES.map((profile) => [
    profile.name,
    ...SIZES.map((accounts) => {
      const bill = billOf(
        { profile, accounts, year: 3, isCompacted: true, hasFreeTier: true },
        measured,
        entry,
      );
      return `$${count(Math.round(totalOf(bill)))}`;
    }),
  ]);
  return table(['a month', ...SIZES.map((size) => `${count(size)} accounts`)], rows);
}

function tableOfJobs({ jobs }: Measured): string {
  const OF = {
    run: 'a run',
    free: 'an account for nothing',
    payer: 'an account with a subscription',
    active: 'one that did something, besides',
    spend: 'a spend',
  } as const;
  const rows = jobs.map(({ job, of, each }) => [
    job,
    OF[of],
    ...[each.reads, each.writes, each.deletes, each.providerCalls].map(
      (value) => `${Number(value.toFixed(2))}`,
    ),
  ]);
  return table(['job', 'for', 'reads', 'writes', 'deletes', 'calls to Stripe'], rows, 2);
}

function compacted({ compaction: { days, bytesOfSpend, bytesOfAccount }, jobs }: Measured): string {
  const cost = dollars(costOfOperations(times(MILLION, eachOf(jobs, COMPACTION, 'spend'))));
  return `After ${days} days (\`BILLING_LEDGER_DAYS\`) spends are rolled into compressed pages, where each takes ${count(Math.ceil(bytesOfSpend))} bytes, and all of an account's together ${count(Math.ceil(bytesOfAccount))} more (the entry \`rolled\` and its index; [the decision](decisions/ledger.md#old-entries-are-compacted-into-pages) has a whole year's); that costs ${cost} a million spends, once, and is in the operations.`;
}

/** docs/cost.md as it should be now. */
export function costPage(): string {
  return renderCost(readDocs(), deployedEntry());
}

/** Writes docs/cost.md, and docs/scale.md, which is made of the same figures. */
export function writeCostPage(): void {
  writeFileSync(new URL('../../docs/cost.md', import.meta.url), costPage());
  writeScalePage();
}

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readIndexFile, singleFieldIndexes } from '../indexes/index-rules.ts';
import {
  addUp,
  BILLED_STEP_MS,
  costOfOperations,
  costOfRequests,
  FREE,
  INSTANCE,
  type Measured,
  PRICES,
  readMeasured,
  times,
} from './compute-cost.ts';
import { type EntrySize, MONTH, sizeOfEntry, subscribersMonth } from './workload.ts';

const MILLION = 1_000_000;
const GIB = 2 ** 30;
/** The function's own line, and the one that Cloud Run writes about the request. */
const LOGGED_BYTES = 250 + 1_000;

const REQUESTS = [
  ['consume, of a user seen lately', 'consume, of a user seen in the last minute'],
  ['consume, of a user not seen lately', 'consume, of another user'],
  ['consume, refused', 'consume, refused (402)'],
  ['consume, sent again with its key', 'consume, repeated with its key'],
  ['balance', 'balance'],
  ['webhook, a renewal', 'event of a renewal'],
  ['checkout of a plan, price and customer known', 'checkout of a plan'],
] as const;

/** docs/cost.md, from what was measured, the list prices and what a ledger entry takes as it is deployed. */
function renderCost(measured: Measured, { document, indexes }: EntrySize): string {
  const cpuMs = Math.ceil(measured.cpuMs);
  const { busy, alone } = costOfRequests(MILLION, cpuMs);
  const rows = REQUESTS.map(([what, name]) => {
    const each = measured.operationsOf(what);
    const store = costOfOperations(times(MILLION, each));
    return `| ${name} | ${each.reads} | ${each.writes} | ${dollars(store)} | ${dollars(store + busy)} to ${dollars(store + alone)} |`;
  });
  const lines = subscribersMonth(measured);
  const sum = addUp(lines.map(({ operations }) => operations));
  const requests = lines.reduce((total, line) => total + line.requests, 0);
  const store = costOfOperations(sum);
  const run = costOfRequests(requests, cpuMs);
  const usual = sizeOfEntry(() => true);
  const everyIndex = usual.document + usual.indexes;
  const stored = ((document + indexes) * MONTH.subscribers * MONTH.consumes) / GIB;
  const logged = (LOGGED_BYTES * requests) / GIB;
  const whole = store + stored * PRICES.storage;
  return `# What it costs

<!-- Written by tools/cost.ts from docs/performance.json and tools/cost/compute-cost.ts; a test holds it to them. -->

Google's part of the bill, in US dollars, for us-central1. **List prices as of ${PRICES.readOn}, to check** before you count on them: [Firestore](${PRICES.sources.firestore}), [Cloud Run](${PRICES.sources.run}), [Cloud Logging](${PRICES.sources.logging}). The multi-region nam5 takes twice as much for Firestore. What Stripe takes of each payment is not in it.

## A million requests

Reads and writes are those that one request was seen to make (row h of [performance](performance.md)); Firestore bills by them, beyond a free tier. Cloud Run bills the time in which an instance (${INSTANCE.vcpu} vCPU, ${INSTANCE.gib} GiB) has a request. The lower figure is a busy instance that many requests share, at the measured ${cpuMs} ms of processor time each (row a, rounded up; for other requests than consumes an estimate); the upper one is a request alone on its instance, for one billed step of ${BILLED_STEP_MS} ms. Both have ${dollars(PRICES.request * MILLION)} for the million requests.

| a million of | reads each | writes each | Firestore | with the function |
| --- | ---: | ---: | ---: | ---: |
${rows.join('\n')}

A spend costs two writes, the balance and its ledger entry, and no read where the instance has seen the user: that is the floor for a balance with a ledger, and the reason why nothing else is written.

## A month of ${count(MONTH.subscribers)} subscribers

Each spends the whole allowance of ${count(MONTH.consumes)} credits one by one, ${MONTH.unseen * 100} % of it after a pause, opens the extension ${MONTH.openings} times, and renews once. Change the figures in \`tools/cost/workload.ts\` to yours, and run \`node tools/cost.ts\`.

| what | reads | writes | deletes | Firestore |
| --- | ---: | ---: | ---: | ---: |
${lines.map(({ what, operations: { reads, writes, deletes } }) => `| ${what} | ${count(reads)} | ${count(writes)} | ${count(deletes)} | ${dollars(costOfOperations({ reads, writes, deletes }))} |`).join('\n')}
| **all** | ${count(sum.reads)} | ${count(sum.writes)} | ${count(sum.deletes)} | **${dollars(store)}** |

| and | how much | cost |
| --- | ---: | ---: |
| the function | ${count(requests)} requests | ${dollars(run.busy)} to ${dollars(run.alone)} |
| the ledger that this month leaves, for each month that it is kept | ${stored.toFixed(1)} GiB: ${count(document)} bytes an entry, ${count(indexes)} its indexes | ${dollars(stored * PRICES.storage)} |
| logs | ${logged.toFixed(1)} GiB | ${dollars(Math.max(0, logged - FREE.loggedGib) * PRICES.logging)} after ${FREE.loggedGib} GiB free |
| **all, before the free tier** | | **${dollars(whole + run.busy)} to ${dollars(whole + run.alone)}** |
| for each subscriber | | ${cents((whole + run.busy) / MONTH.subscribers)} to ${cents((whole + run.alone) / MONTH.subscribers)} |

Free each day are ${count(FREE.readsPerDay)} reads, ${count(FREE.writesPerDay)} writes and ${count(FREE.deletesPerDay)} deletes, and each month ${count(FREE.requests)} requests with ${count(FREE.vcpuSeconds)} vCPU-seconds. Deletes by a TTL policy are never free.

## Where it goes, and what one could do

- Most of the Firestore bill is the ledger's and the balance's writes. Fewer, larger spends (a feature that costs 10 credits instead of ten times 1) cost a tenth.
- The listener's read comes with every change while the extension is open. It is what makes every surface show the balance at once.
- Reservations are two commits instead of one: four writes.
- The ledger only grows. Of its fields only those that something asks for are indexed (\`firestore.indexes.json\`): an entry with Firestore's usual indexes takes ${count(everyIndex)} bytes. An old account's entries may not go: [Retention](operating.md#retention).
`;
}

function dollars(amount: number): string {
  return `$${amount.toFixed(2)}`;
}

function cents(amount: number): string {
  return `${(amount * 100).toFixed(2)} ¢`;
}

function count(value: number): string {
  return new Intl.NumberFormat('en').format(value);
}

const LEDGER = 'credit_ledger';

const at = (path: string): URL => new URL(`../../${path}`, import.meta.url);
const readJson = (path: string) => JSON.parse(readFileSync(at(path), 'utf8'));

/** docs/cost.md as it should be now: from docs/performance.json, the list prices and the indexes that are deployed. */
export function costPage(): string {
  const file = readIndexFile(fileURLToPath(at('firestore.indexes.json')));
  const isIndexed = (field: string): boolean => singleFieldIndexes(file, LEDGER, field).length > 0;
  const composites = file.indexes
    .filter(({ collectionGroup }) => collectionGroup === LEDGER)
    .map(({ fields }) => fields.map(({ fieldPath }) => fieldPath));
  const size = sizeOfEntry(isIndexed, composites);
  return renderCost(readMeasured(readJson('docs/performance.json')), size);
}

export function writeCostPage(): void {
  writeFileSync(at('docs/cost.md'), costPage());
}

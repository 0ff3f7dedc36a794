// node tools/check-queries.ts FOLDER: holds what the tests sent to Firestore to what Google's Firestore asks for, by
// firestore.indexes.json: emulators answer queries without an index and keep no index at all. `npm test` runs it last,
// on the traffic of all its tests (NODE_OPTIONS and FIRESTORE_TRAFFIC in tools/test.ts).
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { faultsOf, StoreTraffic } from './indexes/hold-store.ts';
import { readIndexFile } from './indexes/index-rules.ts';
import { readQuery } from './indexes/query-shape.ts';
import { isReached, querySites } from './indexes/query-sites.ts';
import { readRecorded } from './indexes/recorded.ts';
import { readCommit } from './indexes/write-shape.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

async function main(folder: string | undefined): Promise<number> {
  if (folder === undefined || folder === '') {
    console.error('Name the folder of what was recorded, or run it after other tests: npm test');
    return 2;
  }
  const seen = new StoreTraffic();
  let [requests, unreadable] = [0, 0];
  for await (const { method, message } of readRecorded(folder)) {
    requests += 1;
    try {
      if (method === 'Commit' || method === 'BatchWrite') seen.addCommit(readCommit(message));
      else {
        const shape = readQuery(method, message);
        if (shape !== null) seen.addQuery(shape);
      }
    } catch (error) {
      unreadable += 1;
      console.error(`  nobody has said what index this needs: ${method}, ${String(error)}`);
    }
  }
  if (seen.queries.size === 0) {
    console.error(`No query was recorded in ${folder}: run this after the tests on the emulators.`);
    return 1;
  }
  const { largest } = seen;
  console.log(
    `${requests} requests to Firestore, ${seen.queries.size} shapes of queries; the largest document ${largest.documentBytes} bytes,` +
      ` the largest commit ${largest.writes} writes and ${largest.requestBytes} bytes`,
  );
  const faults = [
    ...faultsOf(seen, readIndexFile(join(root, 'firestore.indexes.json'))),
    ...querySites(root)
      .filter((site) => !isReached(site, seen.queries.values()))
      .map(
        ({ place, part, field }) =>
          `${place}: no test sends this ${part} of ${field ?? 'a field that is not named there'}`,
      ),
  ];
  for (const fault of faults) console.error(`  ${fault}`);
  return faults.length + unreadable === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv[2] ?? process.env.FIRESTORE_TRAFFIC);

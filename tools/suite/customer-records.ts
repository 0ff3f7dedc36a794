import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HOST } from '../../packages/cli/src/local/ports.ts';
import { type Field, plain } from '../scenario/stage.ts';

type CustomerRecord = Readonly<Record<string, string | number | boolean | null>>;

/**
 * The service's records by the provider's customer id, read past the rules as an administrator would. Times are
 * milliseconds since 1970. Records without a customer id are left out: the provider knows nobody of theirs.
 *
 * @param documents the REST address of the database's documents
 * @param pageSize how many are asked for at once
 * @throws Error when Firestore does not answer.
 */
export async function readCustomerRecords(
  documents: string,
  pageSize = 300,
): Promise<Record<string, CustomerRecord>> {
  const records: Record<string, CustomerRecord> = {};
  let pageToken = '';
  do {
    const query = new URLSearchParams({ pageSize: String(pageSize), ...(pageToken && { pageToken }) });
    const response = await fetch(`${documents}/customers?${query}`, {
      headers: { authorization: 'Bearer owner' },
    });
    if (!response.ok) throw new Error(`Firestore answered ${response.status}.`);
    const page = (await response.json()) as {
      readonly documents?: readonly { readonly fields?: Record<string, Field> }[];
      readonly nextPageToken?: string;
    };
    for (const { fields = {} } of page.documents ?? []) {
      // By name: Firestore's own order changes with what was written last.
      const sorted = Object.entries(fields).toSorted(([a], [b]) => a.localeCompare(b));
      const record = Object.fromEntries(sorted.map(([name, field]) => [name, inMs(field)]));
      if (typeof record.customerId === 'string') records[record.customerId] = record;
    }
    pageToken = page.nextPageToken ?? '';
  } while (pageToken !== '');
  return records;
}

function inMs(field: Field): CustomerRecord[string] {
  return 'timestampValue' in field ? Date.parse(field.timestampValue) : plain(field);
}

/**
 * Serves the records to the simulator's page: `GET /` on any free port of this machine. The simulator itself knows
 * nothing of Firestore. Resolves when it listens.
 */
export function serveCustomerRecords(
  documents: string,
): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer((_request, response) => {
    readCustomerRecords(documents).then(
      (records) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(records)),
      (error: unknown) => response.writeHead(503).end(error instanceof Error ? error.message : String(error)),
    );
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, HOST, () => {
      const { port } = server.address() as AddressInfo;
      resolve({ server, url: `http://${HOST}:${port}/` });
    });
  });
}

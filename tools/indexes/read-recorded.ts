import { createReadStream, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A request to Firestore as record-firestore.cjs wrote it down. */
export interface Recorded {
  readonly method: string;
  readonly message: Uint8Array;
}

/** Every request that was written down in a folder, one by one. */
export async function* readRecorded(folder: string): AsyncGenerator<Recorded> {
  const files = existsSync(folder)
    ? readdirSync(folder).filter((name) => /^firestore-.*\.jsonl$/.test(name))
    : [];
  for (const file of files) {
    for await (const line of createInterface({ input: createReadStream(join(folder, file)) })) {
      // A process that was killed may have left half a last line.
      if (!line.endsWith('}')) continue;
      const { method, message } = JSON.parse(line) as { method: string; message: string };
      yield { method, message: Buffer.from(message, 'base64') };
    }
  }
}

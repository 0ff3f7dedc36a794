import { createReadStream, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Environment } from '../../packages/cli/src/local/ports.ts';

/** A request to Firestore as record-firestore.cjs wrote it down. */
interface Recorded {
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

/**
 * An environment in which every Node process writes down what its Firestore client sends, for check-queries.ts.
 *
 * @param options what NODE_OPTIONS holds already
 */
export function recordingFirestore(root: string, folder: string, options = ''): Environment {
  const recorder = join(root, 'tools', 'indexes', 'record-firestore.cjs');
  // A path may have spaces in it.
  return {
    FIRESTORE_TRAFFIC: folder,
    NODE_OPTIONS: `${options} --require ${JSON.stringify(recorder)}`.trim(),
  };
}

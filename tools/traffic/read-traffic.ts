import { createReadStream, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TrafficLine } from '../../packages/simulator/src/server.ts';
import type { Sender } from './allowed-refusals.ts';

const FROM_SIMULATOR_TESTS = /^simulator-tests-/;

/** Every line of every traffic file in a folder, and who sent it, one by one: they are too large together for memory. */
export async function* readTraffic(folder: string): AsyncGenerator<readonly [Sender, TrafficLine]> {
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.jsonl')) : [];
  for (const file of files) {
    const sentBy = FROM_SIMULATOR_TESTS.test(file) ? 'simulator tests' : 'service';
    for await (const line of createInterface({ input: createReadStream(join(folder, file)) })) {
      // A process that was killed in the middle of a test may have left half a last line.
      if (line.endsWith('}')) yield [sentBy, JSON.parse(line) as TrafficLine];
    }
  }
}

import { join } from 'node:path';
import type { Environment } from '../../packages/cli/src/local/ports.ts';

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

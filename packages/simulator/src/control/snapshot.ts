import { restoreSnapshot, takeSnapshot } from '../keep-state.ts';
import { parseSnapshot, type Snapshot } from '../state/snapshot.ts';
import type { ControlRoute } from './context.ts';
import { ControlError } from './json.ts';

export const snapshotRoutes: ControlRoute[] = [
  { method: 'GET', path: '/snapshot', handle: (context) => takeSnapshot(context) },
  {
    method: 'POST',
    path: '/restore',
    handle: (context, body) => {
      restoreSnapshot(context, readSnapshot(body, context.world.options.baseUrl));
      context.faults.clear();
      return { now: context.world.clock.now() };
    },
  },
];

function readSnapshot(body: object, baseUrl: string): Snapshot {
  try {
    return parseSnapshot(JSON.stringify(body), 'The body', baseUrl);
  } catch {
    throw new ControlError(
      400,
      'The body is no snapshot of this simulator: send what GET /_sim/snapshot answered.',
    );
  }
}

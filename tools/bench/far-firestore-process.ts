// The store at a distance (far-firestore.ts): forwards calls to the emulator, late and counted.

import { startFirestoreProxy } from '../../functions/test/fixtures/firestore-proxy.ts';
import { seeded } from '../random.ts';
import type { FarAnswer, FarOrder } from './far-firestore.ts';
import { jittered } from './open-loop.ts';

const proxy = await startFirestoreProxy(process.env.FIRESTORE_EMULATOR_HOST ?? '');
const random = seeded(7);
const tell = (answer: FarAnswer): void => void process.send?.(answer);

process.on('message', (order: FarOrder) => {
  switch (order.kind) {
    case 'distance': {
      const { ms } = order;
      proxy.delayMs = ms === 0 ? 0 : () => jittered(ms, random);
      tell({ kind: 'done' });
      break;
    }
    case 'take calls': {
      const calls: Record<string, number> = {};
      for (const call of proxy.calls.splice(0)) calls[call] = (calls[call] ?? 0) + 1;
      tell({ kind: 'calls', calls });
      break;
    }
    default:
      order satisfies never;
  }
});
process.once('disconnect', () => process.exit());
tell({ kind: 'listens', address: proxy.address });

import { expect, it, vi } from 'vitest';
import { aSnapshot, someCredits } from '../../../test/factories.ts';
import { fakeStorage } from '../../../test/fake-storage-area.ts';
import { SNAPSHOT_KEY } from '../../snapshot/snapshot.ts';
import { forgetDismissalWhenRisen } from './forget-dismissal.ts';
import { WALL_KEY } from './wall-key.ts';

const at = (balance: number) => ({ [SNAPSHOT_KEY]: aSnapshot({ credits: someCredits(balance) }) });

it('ends a dismissal when the balance rises with no page open, and not before', async () => {
  const { storage, area, peek } = fakeStorage({ ...at(0), [WALL_KEY]: { uid: 'ada' } });
  forgetDismissalWhenRisen(storage);
  await area.set({ somethingElse: 1 });
  await area.set(at(0));
  await new Promise((resolve) => setImmediate(resolve));
  expect(peek(WALL_KEY)).toEqual({ uid: 'ada' });
  await area.set(at(100));
  await vi.waitFor(() => expect(peek(WALL_KEY)).toBeUndefined());
});

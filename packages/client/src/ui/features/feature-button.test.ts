import { expect, it, vi } from 'vitest';
import { payThen } from './feature-button.tsx';

it('gives a feature only to who has paid for it', async () => {
  const onPaid = vi.fn();
  await payThen({ run: async () => false }, onPaid);
  expect(onPaid).not.toHaveBeenCalled();
  await payThen({ run: async () => true }, onPaid);
  expect(onPaid).toHaveBeenCalledOnce();
});

import { expect, it } from 'vitest';
import { mutated } from './mutate.ts';
import { checkPurchases } from './run-purchases.ts';

it('what people buy whose credits come by the clock is there as it was paid for, and never twice, in any order', async () => {
  const { purchaseService } = await mutated('./purchase-service.ts', []);
  const seed = Number(process.env.MODEL_SEED ?? Date.now() & 0x7fffffff);
  const failure = await checkPurchases(purchaseService, {
    histories: Number(process.env.MODEL_HISTORIES ?? 60),
    seed,
    ...(process.env.MODEL_PATH !== undefined && { path: process.env.MODEL_PATH }),
  });
  expect(failure ?? 'all is there').toBe('all is there');
}, 3_600_000);

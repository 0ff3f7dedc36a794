import { expect, it } from 'vitest';
import { describeRequest } from './describe.ts';

const confirm = {
  ...({ id: 'settle_job', kind: 'confirm', feature: 'chat', cost: 9 } as const),
  ...{ deltaAllowance: -9, deltaPack: 0, allowance: 1, packCredits: 0, createdAt: 1 },
};

it('shows support what a backend measured, and nothing where none did', () => {
  const lines = [{ unit: 'input', quantity: 1_200, credits: 1, per: 1_000 }];
  expect(describeRequest({ ...confirm, receipt: { label: 'small-model', lines } })).toBe(
    'chat, confirmed, "small-model", 1200 input × 1/1000',
  );
  expect(describeRequest({ ...confirm, shortfall: 2, receipt: { lines } })).toBe(
    'chat, confirmed, 2 short, 1200 input × 1/1000',
  );
  expect(describeRequest(confirm)).toBe('chat, confirmed');
});

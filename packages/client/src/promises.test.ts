import { expect, it } from 'vitest';
import { oneAtATime } from './promises.ts';

it('starts nothing beside what is under way, also within the same moment', async () => {
  const alone = oneAtATime();
  let paid = 0;
  const pay = async () => {
    paid += 1;
  };
  await Promise.all([alone(pay), alone(pay), alone(pay)]);
  expect(paid).toBe(1);
  await alone(pay);
  expect(paid).toBe(2);
});

it('is free again after work that failed', async () => {
  const alone = oneAtATime();
  await expect(alone(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await alone(async () => 'done')).toBe('done');
});

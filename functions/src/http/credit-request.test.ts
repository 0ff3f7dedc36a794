import { expect, it } from 'vitest';
import { Contended } from '../store/commit-credits.ts';
import { Crowded } from '../store/lanes.ts';
import { Unavailable } from './answer.ts';
import { committed } from './credit-request.ts';

it.each([
  ['others kept writing', new Contended(null)],
  ['too many wait', new Crowded(5_000)],
])('where %s, a spend is to be tried again shortly', async (_why, failure) => {
  const refused = await committed(Promise.reject(failure)).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(Unavailable);
  expect(refused).toMatchObject({ retryAfterSeconds: 1 });
});

it('any other failure stays what it is', async () => {
  await expect(committed(Promise.reject(new TypeError('a fault')))).rejects.toThrow(TypeError);
});

import { expect, it } from 'vitest';
import { readCreditFields } from './read-credits.ts';

it.each([
  ['all three', { creditsRemaining: 10, creditsAllowance: 3, packCreditsRemaining: 7 }, [10, 3, 7]],
  ['the whole alone', { creditsRemaining: 10 }, [10, 0, 10]],
  ['the whole and its allowance', { creditsRemaining: 10, creditsAllowance: 3 }, [10, 3, 7]],
  ['the whole and its packs', { creditsRemaining: 10, packCreditsRemaining: 3 }, [10, 7, 3]],
  ['the allowance alone', { creditsAllowance: 3 }, [3, 3, 0]],
  ['packs alone', { packCreditsRemaining: 3 }, [3, 0, 3]],
  ['a whole that is less than its part', { creditsRemaining: 2, creditsAllowance: 3 }, [3, 3, 0]],
  [
    'parts that do not make the whole',
    { creditsRemaining: 9, creditsAllowance: 3, packCreditsRemaining: 1 },
    [4, 3, 1],
  ],
  ['what is no amount', { creditsRemaining: 'many', creditsAllowance: -1 }, [0, 0, 0]],
])('a record with %s', (_what, stored, [creditsRemaining, creditsAllowance, packCreditsRemaining]) => {
  expect(readCreditFields(stored)).toEqual({ creditsRemaining, creditsAllowance, packCreditsRemaining });
});

it('a record without any of them has no credits in use', () => {
  expect(readCreditFields({ paid: true })).toEqual({});
});

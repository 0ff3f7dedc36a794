import { expect, it } from 'vitest';
import { withoutContested } from './contested.ts';
import type { Found } from './import.ts';
import { NOBODY } from './person.ts';

const found = (name: string, ...links: readonly string[]) =>
  ({
    person: { ...NOBODY, name },
    decision: { links, isBlocked: false },
    problems: [],
  }) as unknown as Found;

it('brings nobody whose customer another one names as well, and says whose', () => {
  const people = [found('before', 'cus_1'), found('after', 'cus_1', 'cus_2'), found('other', 'cus_3')];
  expect(withoutContested(people)).toMatchObject([
    {
      problems: [expect.stringContaining('cus_1 is the customer of after, too')],
      decision: { isBlocked: true },
    },
    {
      problems: [expect.stringContaining('cus_1 is the customer of before, too')],
      decision: { isBlocked: true },
    },
    { problems: [], decision: { isBlocked: false } },
  ]);
});

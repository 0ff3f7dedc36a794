import { beforeAll, expect, it } from 'vitest';
import { aSnapshot, someCredits } from '../../../test/factories.ts';
import { useEnglish } from '../../../test/fake-i18n.ts';
import { describeLoss } from './manage-account.tsx';

beforeAll(useEnglish);

it('names the plan and the credits that go with an account', () => {
  expect(describeLoss(aSnapshot({ state: 'active', credits: someCredits(1_250) }))).toEqual([
    'Your plan ends now, and nothing more is charged. There is no refund.',
    '1,250 credits are given up.',
    'You cannot sign in to this account again.',
  ]);
});

it('names no plan and no credits where there are none', () => {
  expect(describeLoss(aSnapshot({ state: 'free', credits: null }))).toEqual([
    'You cannot sign in to this account again.',
  ]);
});

it('says that a plan for good goes too', () => {
  expect(describeLoss(aSnapshot({ state: 'lifetime', credits: someCredits(1) }))).toEqual([
    'Your lifetime plan is given up. There is no refund.',
    '1 credit is given up.',
    'You cannot sign in to this account again.',
  ]);
});

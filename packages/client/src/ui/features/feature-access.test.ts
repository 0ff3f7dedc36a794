import type { Catalog } from '@extension-billing/contract/catalog';
import { testCatalog } from '@extension-billing/contract/test/catalog';
import { withTiers } from '@extension-billing/contract/test/other-catalogs';
import { beforeAll, expect, it } from 'vitest';
import { aSnapshot, someCredits } from '../../../test/factories.ts';
import { useEnglish } from '../../../test/fake-i18n.ts';
import { providePricing } from '../../given-catalog.ts';
import { describeConsume } from './describe-consume.ts';
import { deriveAccess, describeAccess } from './feature-access.ts';

beforeAll(() => {
  useEnglish();
  providePricing(testCatalog);
});

const catalog: Catalog = {
  ...testCatalog,
  features: { ...testCatalog.features, report: { gate: 'paywall' }, hint: { gate: 'none' } },
};
const described = (feature: string, fields: Parameters<typeof aSnapshot>[0]): string =>
  describeAccess(deriveAccess(feature, aSnapshot(fields), catalog));

it('says what a metered feature costs while the credits reach', () => {
  expect(described('demo', { credits: someCredits(40) })).toBe('1 credit');
  expect(described('demo_deep', { credits: someCredits(5) })).toBe('5 credits');
});

it('says why it is off when they do not, and what to do', () => {
  expect(described('demo', { credits: someCredits(0) })).toBe('Needs 1 credit. Top up to run it.');
  expect(described('demo_deep', { credits: someCredits(4) })).toBe('Needs 5 credits. Top up to run it.');
});

it('asks a visitor to sign in before it says what a metered feature takes', () => {
  expect(described('demo_deep', { uid: null, paid: false, credits: null })).toBe('Sign in to run it');
});

it('asks for a plan at a paywall, whatever the credits', () => {
  expect(described('report', { paid: false, credits: someCredits(100) })).toBe('Comes with a plan');
  expect(described('report', { paid: true, credits: someCredits(0) })).toBe('Part of your plan');
});

it('promises nothing of a feature that the catalogue does not name, or that no plan has', () => {
  expect(described('misspelt', {})).toBe('Needs an update of the extension');
  expect(described('report', { paid: false })).toBe('Comes with a plan');
  const unsold = { ...withTiers, plans: [] };
  expect(describeAccess(deriveAccess('chat', aSnapshot({ paid: false }), unsold))).toBe('Not sold here');
});

const consumed = (balance: number | null, cost: number) =>
  describeConsume({ ok: true, balance, allowance: balance }, cost).text;

it('says what was spent and what is left', () => {
  expect(consumed(41, 1)).toBe('1 credit spent, 41 left');
  expect(consumed(1_036, 5)).toBe('5 credits spent, 1,036 left');
});

it('says that nothing was spent on an account without credits', () => {
  expect(consumed(null, 1)).toBe('Done. No credits spent.');
});

it('says why a feature did not run, and what to do next', () => {
  const refused = (reason: 'exhausted' | 'offline') =>
    describeConsume({ ok: false, balance: 0, allowance: 0, reason }, 1);
  expect(refused('exhausted')).toEqual({ tone: 'refused', text: 'Not enough credits. Top up to run this.' });
  expect(refused('offline').text, 'a lost reply may be of a spend').toBe(
    'You are offline. Try again when you are connected.',
  );
});

it('names the plan that has what a feature needs, whatever the credits', () => {
  providePricing(withTiers);
  const shown = (feature: string, fields: Parameters<typeof aSnapshot>[0]): string =>
    describeAccess(deriveAccess(feature, aSnapshot(fields), withTiers));
  const poor = { paid: true, entitlements: ['basic'], credits: someCredits(100) };
  expect(shown('chat', poor)).toMatch(/^Comes with (?!a plan)/);
  expect(shown('chat', { ...poor, entitlements: ['basic', 'pro'] })).toBe('2 credits');
  expect(shown('notes', { ...poor, paid: false })).toMatch(/^Comes with/);
  expect(shown('notes', poor)).toBe('Part of your plan');
});

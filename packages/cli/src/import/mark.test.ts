import { expect, it } from 'vitest';
import { sourceOf, tag, untag } from './mark.ts';

const WANTED = { uid: 'ada', lookup_key: 'pro', project: 'shop' };

/** As Stripe merges metadata: an empty value removes its key. */
function written(present: Record<string, string>, news: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.entries({ ...present, ...news }).filter(([, value]) => value !== ''));
}

it('writes what checkout would have, and can take exactly that away again', () => {
  const before = { firebaseUID: 'ada', campaign: 'spring', uid: 'ada' };
  const tagging = tag(before, WANTED, 'extensionpay');
  if (tagging.kind !== 'tag') throw new Error('nothing is written');
  const after = written(before, tagging.metadata);
  expect(after).toMatchObject({ ...before, ...WANTED });
  expect(sourceOf(after)).toBe('extensionpay');
  expect(written(after, untag(after))).toEqual(before);
});

it('leaves what an import wrote as it is, also where the catalogue says something else by now', () => {
  const tagging = tag({}, WANTED, 'extensionpay');
  const present = tagging.kind === 'tag' ? tagging.metadata : {};
  expect(tag(present, { ...WANTED, lookup_key: 'other' }, 'extensionpay')).toEqual({ kind: 'done' });
  expect(tag(present, WANTED, 'firestore-stripe-payments')).toEqual({ kind: 'done' });
});

it('imports a subscription anew that was changed to another price at the source, and can take that away as well', () => {
  const before = { campaign: 'spring' };
  const first = { ...WANTED, kind: 'subscription', price_id: 'price_basic', monthly_credits: '50' };
  const second = { ...WANTED, kind: 'subscription', price_id: 'price_pro', lookup_key: 'pro_plus' };
  const write = (present: Record<string, string>, wanted: Record<string, string>) => {
    const tagging = tag(present, wanted, 'extensionpay');
    return tagging.kind === 'tag' ? written(present, tagging.metadata) : expect.fail(tagging.kind);
  };
  const after = write(write(before, first), second);
  const { imported_from: mark, ...said } = after;
  expect(said).toEqual({ ...before, ...second });
  expect(mark).toBe('extensionpay kind lookup_key price_id project uid');
  expect(tag(after, second, 'extensionpay')).toEqual({ kind: 'done' });
  expect(written(after, untag(after))).toEqual(before);
});

it('overwrites nobody’s words: another user’s, another project’s, the owner’s own', () => {
  expect(tag({ uid: 'eve' }, WANTED, 'extensionpay')).toEqual({ kind: 'taken', key: 'uid', value: 'eve' });
  expect(tag({ project: 'other' }, WANTED, 'extensionpay')).toMatchObject({ kind: 'taken', key: 'project' });
  expect(tag({ lookup_key: 'mine' }, WANTED, 'extensionpay')).toMatchObject({ key: 'lookup_key' });
  const marked = { ...WANTED, uid: 'eve', imported_from: 'extensionpay uid' };
  expect(tag(marked, WANTED, 'extensionpay')).toMatchObject({ kind: 'taken', key: 'uid' });
});

import { DAY } from '@extension-billing/contract/time';
import type { Timestamp } from 'firebase-admin/firestore';
import { expect, it } from 'vitest';
import { firestore } from './app/emulated-user.ts';
import { packBought } from './factories/provider-events.ts';
import { aUser, deliver } from './fixtures/service.ts';

it('an event marker says when it may go: after 45 days, by the policy in firestore.indexes.json', async () => {
  const event = packBought(await aUser());
  await deliver(event);
  const marker = await firestore.doc(`billing_events/${event.id}`).get();
  const expireAt: Timestamp = marker.get('expireAt');
  expect(Math.round((expireAt.toMillis() - Date.now()) / DAY)).toBe(45);
});

it('an event whose marker is gone changes nothing when it comes again', async () => {
  const user = await aUser();
  const event = packBought(user);
  expect(await deliver(event)).toMatchObject({ status: 200, body: { outcome: 'applied' } });
  expect(await user.consume('demo')).toMatchObject({ status: 200, body: { balance: 99 } });
  const ledger = await user.ledger();
  await firestore.doc(`billing_events/${event.id}`).delete();
  expect(await deliver(event)).toMatchObject({ status: 200, body: { outcome: 'applied' } });
  expect(await user.credits()).toEqual({ allowance: 0, packs: 99 });
  expect(await user.ledger()).toEqual(ledger);
});

it('a refusal says when it may go, after 7 days, and what moved credits never does', async () => {
  const user = await aUser();
  await deliver(packBought(user));
  await user.consume('demo', 'granted');
  for (let spent = 1; spent < 100; spent += 1) await user.consume('demo');
  const { status } = await user.consume('demo', 'refused');
  expect(status).toBe(402);
  const entries = await firestore.collection(`customers/${user.uid}/credit_ledger`).get();
  const expiring = entries.docs.filter((entry) => entry.get('expireAt') !== undefined);
  expect(expiring.map(({ id }) => id)).toEqual(['consume_refused']);
  const expireAt: Timestamp = expiring[0]?.get('expireAt');
  expect(Math.round((expireAt.toMillis() - Date.now()) / DAY)).toBe(7);
});

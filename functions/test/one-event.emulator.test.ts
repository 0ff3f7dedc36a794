import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { PACK, PLAN, testCatalog } from '@extension-billing/contract/test/catalog';
import { Timestamp } from 'firebase-admin/firestore';
import type { Stripe } from 'stripe';
import { expect, it, vi } from 'vitest';
import type { AppDeps } from '../src/deps.ts';
import type { LogEvent } from '../src/log.ts';
import { aConfig } from './app/config.ts';
import { firestore } from './app/emulated-user.ts';
import { providerError } from './app/fake-provider.ts';
import { anEvent, packBought } from './factories/provider-events.ts';
import {
  aScene,
  buy,
  consume,
  expectNothingPersonal,
  type Fields,
  feature,
  held,
  KEY,
  refused,
  reserve,
  type Scene,
} from './fixtures/logged-scene.ts';

const features = { ...testCatalog.features, report: { gate: 'paywall' }, hint: { gate: 'none' } } as const;
const catalog = () => ({ ...testCatalog, features });

/** The last thing that `act` does is the request whose line is looked at. */
type Case = readonly [
  name: string,
  expected: readonly [LogEvent, Fields],
  act: (scene: Scene) => Promise<unknown>,
];

const CASES: readonly Case[] = [
  [
    'a consume that is granted',
    ['consume', { outcome: 'granted', feature }],
    async (scene) => [await scene.credits(5), await consume(scene)],
  ],
  [
    'a consume that is refused',
    ['consume', { outcome: 'exhausted', feature }],
    async (scene) => [await scene.credits(0), await consume(scene)],
  ],
  [
    'a consume that is repeated',
    ['consume', { outcome: 'replayed', feature }],
    async (scene) => [await scene.credits(5), await consume(scene), await consume(scene)],
  ],
  [
    'a consume with a used key',
    ['consume', { outcome: 'key_reused', feature: 'demo_deep' }],
    async (scene) => {
      await scene.credits(5);
      await consume(scene);
      await consume(scene, { feature: 'demo_deep' });
    },
  ],
  ['a consume without credits in use', ['consume', { outcome: 'free', feature }], (scene) => consume(scene)],
  [
    'a consume behind the paywall',
    ['consume', { outcome: 'plan_required', feature: 'report' }],
    (scene) => consume(scene, { feature: 'report' }),
  ],
  [
    'a consume of what is given away',
    ['consume', { outcome: 'open', feature: 'hint' }],
    (scene) => consume(scene, { feature: 'hint' }),
  ],
  [
    'a reserve that is granted',
    ['reserve', { outcome: 'granted', feature }],
    async (scene) => [await scene.credits(5), await reserve(scene)],
  ],
  [
    'a reserve that is refused',
    ['reserve', { outcome: 'exhausted', feature }],
    async (scene) => [await scene.credits(0), await reserve(scene)],
  ],
  [
    'a reserve beside too many',
    ['reserve', { outcome: 'too_many', feature }],
    async (scene) => [await scene.credits(99, held(50)), await reserve(scene)],
  ],
  [
    'a reserve that is repeated',
    ['reserve', { outcome: 'replayed', feature }],
    async (scene) => [await scene.credits(5), await reserve(scene), await reserve(scene)],
  ],
  [
    'a reserve with a used key',
    ['reserve', { outcome: 'key_reused', feature: 'demo_deep' }],
    async (scene) => {
      await scene.credits(9);
      await reserve(scene);
      await reserve(scene, { feature: 'demo_deep' });
    },
  ],
  ['a reserve without credits in use', ['reserve', { outcome: 'free', feature }], (scene) => reserve(scene)],
  [
    'a reserve behind the paywall',
    ['reserve', { outcome: 'plan_required', feature: 'report' }],
    (scene) => reserve(scene, { feature: 'report' }),
  ],
  [
    'a confirm',
    ['confirm', { outcome: 'settled' }],
    async (scene) => {
      await scene.credits(5, held(1));
      await scene.post('/credits/confirm', { reservation: 'job-0' });
    },
  ],
  [
    'a release that is repeated',
    ['release', { outcome: 'replayed' }],
    async (scene) => {
      await scene.credits(5, held(1));
      await scene.post('/credits/release', { reservation: 'job-0' });
      await scene.post('/credits/release', { reservation: 'job-0' });
    },
  ],
  [
    'a confirm of nothing',
    ['confirm', { outcome: 'unknown' }],
    async (scene) => [await scene.credits(5), await scene.post('/credits/confirm', { reservation: KEY })],
  ],
  [
    'a confirm after a release',
    ['confirm', { outcome: 'replayed' }],
    async (scene) => {
      await scene.credits(5, held(1));
      await scene.post('/credits/release', { reservation: 'job-0' });
      scene.log.lines.length = 0;
      await scene.post('/credits/confirm', { reservation: 'job-0' });
    },
  ],
  [
    'a release',
    ['release', { outcome: 'settled' }],
    async (scene) => {
      await scene.credits(5, held(1));
      await scene.post('/credits/release', { reservation: 'job-0' });
    },
  ],
  [
    'a release of nothing',
    ['release', { outcome: 'unknown' }],
    async (scene) => [await scene.credits(5), await scene.post('/credits/release', { reservation: KEY })],
  ],
  [
    'a release without credits in use',
    ['release', { outcome: 'free' }],
    (scene) => scene.post('/credits/release', { reservation: KEY }),
  ],
  ['a balance', ['balance_read', { inUse: false }], (scene) => scene.get('/credits/balance')],
  ['an account', ['account_read', { state: 'free' }], (scene) => scene.get('/account')],
  [
    'a key that nobody made',
    refused('/credits/balance', 'unauthenticated', 'GET'),
    (scene) =>
      scene.send('/credits/balance', { headers: { authorization: `Bearer ebk_k3v9q2m7x1ab_${KEY}` } }),
  ],
  ['a page of the usage', ['usage_read', { entries: 0 }], (scene) => scene.get('/credits/usage')],
  [
    'a checkout',
    ['checkout_opened', { kind: 'pack', trial: false, shared: false }],
    (scene) => buy(scene, PACK.small),
  ],
  [
    'a checkout of a second plan',
    ['checkout_refused', { code: 'already_subscribed', kind: 'subscription' }],
    async (scene) => {
      await scene.credits(0, { paid: true, plan: PLAN.monthly, status: 'active' });
      await buy(scene, PLAN.yearly);
    },
  ],
  [
    'a checkout of a deleted account',
    ['checkout_refused', { code: 'account_deleted', kind: 'pack' }],
    async (scene) => {
      await firestore.doc(`billing_facts/${scene.uid}`).set({ deletedAt: Timestamp.now() });
      await buy(scene, PACK.small);
    },
  ],
  [
    'a checkout of what is not sold',
    refused('/billing/checkout', 'unknown_lookup_key'),
    (scene) => buy(scene, 'nothing'),
  ],
  [
    'a checkout that the provider fails',
    ['provider_failed', expect.objectContaining({ type: 'StripeConnectionError' }) as Fields],
    (scene) => {
      scene.provider.failNext('sessions.create', providerError('StripeConnectionError'));
      return buy(scene, PACK.small);
    },
  ],
  [
    'a checkout of a second lifetime plan',
    ['checkout_refused', { code: 'already_owned', kind: 'lifetime' }],
    async (scene) => {
      await scene.credits(0, { paid: true, plan: PLAN.lifetime, planKind: 'lifetime', status: 'active' });
      await buy(scene, PLAN.lifetime);
    },
  ],
  [
    'a portal that the provider fails',
    ['provider_failed', expect.objectContaining({ type: 'StripeConnectionError' }) as Fields],
    async (scene) => {
      await scene.credits(0, { customerId: `cus_${scene.uid}` });
      scene.provider.failNext('portal.create', providerError('StripeConnectionError'));
      await scene.post('/billing/portal');
    },
  ],
  [
    'an event that the provider must be asked about, and cannot be',
    ['temporarily_unavailable', expect.objectContaining({ path: '/billing/webhook' }) as Fields],
    (scene) => {
      const object = 'dispute';
      const lost = { id: 'dp_1', object, charge: 'ch_1', payment_intent: 'pi_1', status: 'lost' };
      return scene.webhook(anEvent('charge.dispute.closed', lost));
    },
  ],
  [
    'a page of the usage that cannot be',
    refused('/credits/usage', 'invalid_request', 'GET'),
    (scene) => scene.get(`/credits/usage?cursor=${KEY}`),
  ],
  ['the prices', ['prices_read', { sold: 6, missing: 0 }], (scene) => scene.get('/billing/prices')],
  [
    'the prices that the provider fails to tell',
    ['provider_failed', expect.objectContaining({ type: 'StripeConnectionError' }) as Fields],
    (scene) => {
      scene.provider.failNext('prices.list', providerError('StripeConnectionError'));
      return scene.get('/billing/prices');
    },
  ],
  [
    'a portal for nobody',
    ['portal_refused', { code: 'no_customer' }],
    (scene) => scene.post('/billing/portal'),
  ],
  [
    'a portal',
    ['portal_opened', {}],
    async (scene) => [
      await scene.credits(0, { customerId: `cus_${scene.uid}` }),
      await scene.post('/billing/portal'),
    ],
  ],
  [
    'an event that is applied',
    ['webhook', { outcome: 'applied', type: 'checkout.session.completed', eventId: expect.any(String) }],
    (scene) => scene.webhook(packBought(scene)),
  ],
  [
    'an event that comes again',
    ['webhook', { outcome: 'duplicate', type: 'checkout.session.completed', eventId: expect.any(String) }],
    async (scene) => {
      const event = packBought(scene);
      await scene.webhook(event);
      await scene.webhook(event);
    },
  ],
  [
    'an event of no interest',
    ['webhook', expect.objectContaining({ outcome: 'ignored', type: 'payout.paid' }) as Fields],
    (scene) => scene.webhook(anEvent('payout.paid', { id: 'po_1', object: 'payout' })),
  ],
  [
    'an event with a forged signature',
    ['webhook_refused', { reason: 'signature' }],
    (scene) => scene.webhook(packBought(scene), 'whsec_of_somebody_else'),
  ],
  [
    'an account that is deleted',
    ['account_deleted', { canceledSubscriptions: 0 }],
    (scene) => scene.post('/account/delete'),
  ],
  [
    'an account that the provider cannot end',
    ['provider_failed', expect.objectContaining({ type: 'StripeAPIError' }) as Fields],
    async (scene) => {
      await firestore.doc(`provider_customers/cus_${scene.uid}`).set({ uid: scene.uid });
      const list = () => Promise.reject(providerError('StripeAPIError'));
      const failing = await aScene({
        stripe: async () => ({ checkout: { sessions: { list: failingList(list) } } }) as unknown as Stripe,
      });
      failing.log.lines.length = 0;
      await failing.send('/account/delete', {
        method: 'POST',
        body: '{}',
        headers: { authorization: `Bearer ${scene.idToken}` },
      });
      scene.log.lines.push(...failing.log.lines);
    },
  ],
  [
    'a request without a token',
    refused('/credits/balance', 'unauthenticated', 'GET'),
    (scene) => scene.send('/credits/balance', { headers: { authorization: '' } }),
  ],
  [
    'a request without a key',
    refused('/credits/consume', 'idempotency_key_required'),
    (scene) =>
      scene.send('/credits/consume', {
        method: 'POST',
        body: '{"feature":"demo"}',
        headers: { 'idempotency-key': '' },
      }),
  ],
  [
    'a feature that nobody knows',
    refused('/credits/consume', 'unknown_feature'),
    (scene) => consume(scene, { feature: KEY }),
  ],
  [
    'a body with another field',
    refused('/credits/consume', 'invalid_request'),
    (scene) => consume(scene, { feature, [KEY]: 1 }),
  ],
  [
    'a body that is too long',
    refused('/credits/consume', 'payload_too_large'),
    (scene) => consume(scene, { feature: 'x'.repeat(20_000) }),
  ],
  [
    'another method',
    refused('/credits/balance', 'method_not_allowed', 'DELETE'),
    (scene) => scene.send('/credits/balance', { method: 'DELETE' }),
  ],
  ['a path that is nowhere', refused(null, 'not_found', 'GET'), (scene) => scene.get(`/${KEY}`)],
];

function failingList(list: () => Promise<never>) {
  return () => ({
    [Symbol.asyncIterator]: () => ({ next: list }),
  });
}

it.each(CASES)('%s leaves one line', async (_name, [event, fields], act) => {
  const scene = await aScene({ catalog });
  await act(scene);
  const [line, ...before] = scene.log.lines.toReversed();
  expect(line).toEqual({ severity: expect.any(String), event, fields });
  // What led up to it left one line for each request, and this request none but the one.
  expect(before.every((earlier) => earlier.event === event || earlier.event === 'webhook')).toBe(true);
  expectNothingPersonal(scene);
});

it('a request too many, one while billing is off, and one without a database leave one line each', async () => {
  const limited = await aScene({ config: aConfig({ rateLimit: { perSecond: 1, burst: 1 } }) });
  await limited.get('/credits/balance');
  await limited.get('/credits/balance');
  expect(limited.log.lines.slice(1)).toEqual([
    {
      severity: 'info',
      event: 'request_refused',
      fields: refused('/credits/balance', 'too_many_requests', 'GET')[1],
    },
  ]);
  const disabled = await aScene({ config: aConfig({ disabled: true }) });
  await disabled.post('/billing/checkout');
  expect(disabled.log.lines.map(({ event, fields }) => [event, fields.code])).toEqual([
    ['request_refused', 'billing_disabled'],
  ]);
  const away = Object.assign(new Error(`no ${limited.uid} here`), { code: 14 });
  const store = { doc: (path: string) => ({ path }), getAll: () => Promise.reject(away) };
  const cut = await aScene({ firestore: store as unknown as AppDeps['firestore'] });
  await cut.get('/credits/balance');
  expect(cut.log.lines.map(({ severity, event }) => [severity, event])).toEqual([
    ['warn', 'store_unavailable'],
  ]);
  for (const scene of [limited, disabled, cut]) expectNothingPersonal(scene);
});

it('a caller who breaks off in the middle of the body leaves one line, and it is no error', async () => {
  const scene = await aScene();
  const { hostname, port } = new URL(scene.base);
  const socket = connect(Number(port), hostname);
  const head = [
    'POST /credits/consume HTTP/1.1',
    `Host: ${hostname}`,
    `Authorization: Bearer ${scene.idToken}`,
  ];
  const rest = [
    `Idempotency-Key: ${KEY}`,
    'Content-Type: application/json',
    'Content-Length: 1000',
    '',
    '{"fea',
  ];
  await new Promise<void>((sent) => socket.write([...head, ...rest].join('\r\n'), () => sent()));
  await sleep(100);
  socket.destroy();
  await vi.waitFor(() => expect(scene.log.lines).toHaveLength(1));
  expect(scene.log.lines).toEqual([
    { severity: 'info', event: 'request_aborted', fields: { method: 'POST', route: '/credits/consume' } },
  ]);
});

import { PACK, PLAN } from '@extension-billing/contract/test/catalog';
import { describe, expect, it } from 'vitest';
import type { AppDeps } from '../src/deps.ts';
import { auth, type EmulatedUser, firestore, signUp } from './app/emulated-user.ts';
import { FakeProvider, providerError } from './app/fake-provider.ts';
import { keptLog, serveApp } from './app/serve-app.ts';

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The service on real transactions, with a provider that can be watched and made to fail. */
async function service({ hold, ...overrides }: Partial<AppDeps> & { readonly hold?: Promise<void> } = {}) {
  const provider = new FakeProvider();
  const user = await signUp();
  const log = keptLog();
  const stripe = async () => {
    await hold;
    return provider.stripe();
  };
  const deps = { firestore, auth, stripe, log, ...overrides };
  const bases = [await serveApp(deps), await serveApp(deps)];
  let turn = 0;

  async function post(path: string, body: object, buyer: EmulatedUser = user): Promise<Answer> {
    turn += 1;
    const response = await fetch(`${bases[turn % bases.length]}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${buyer.idToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const retryAfter = response.headers.get('retry-after');
    return { status: response.status, retryAfter, body: (await response.json()) as Answer['body'] };
  }

  return {
    provider,
    user,
    log,
    buy: (lookupKey: string) => post('/billing/checkout', { lookup_key: lookupKey }),
    portal: () => post('/billing/portal', {}),
    record: (record: object) => firestore.doc(`customers/${user.uid}`).set(record),
    checkoutState: async () => (await firestore.doc(`billing_facts/${user.uid}`).get()).get('checkout'),
  };
}

const trialOf = (provider: FakeProvider) =>
  provider.open.map(({ params }) => params.subscription_data?.trial_period_days);

const NEVER_PAID = { paid: false, plan: null, status: null, trialUsed: false };

describe('a first checkout', () => {
  it('makes a customer and a session with a trial, and answers where to go', async () => {
    const { buy, provider, user } = await service();
    const { status, body } = await buy(PLAN.metered);
    expect(status).toBe(200);
    const [session] = provider.open;
    expect(body).toEqual({ url: session?.url, sessionId: session?.id });
    expect(session?.params).toMatchObject({
      mode: 'subscription',
      customer: session?.customer,
      metadata: { uid: user.uid, lookup_key: PLAN.metered, monthly_credits: '1000' },
      subscription_data: { trial_period_days: 7 },
    });
    const owner = await firestore.doc(`provider_customers/${session?.customer}`).get();
    expect(owner.data()).toEqual({ uid: user.uid });
  });

  it('writes nothing to the customer record: only the webhook does', async () => {
    const { buy, user } = await service();
    await buy(PLAN.monthly);
    expect((await firestore.doc(`customers/${user.uid}`).get()).exists).toBe(false);
  });

  it('leaves a line in the log without a word about the person', async () => {
    const { buy, log, user } = await service();
    await buy(PACK.small);
    expect(log.lines).toEqual([
      { severity: 'info', event: 'checkout_opened', fields: { kind: 'pack', trial: false, shared: false } },
    ]);
    expect(JSON.stringify(log.lines)).not.toContain(user.uid);
  });
});

describe('a later checkout', () => {
  it('is one call to the provider when price and customer are known', async () => {
    const { buy, provider } = await service();
    await buy(PACK.small);
    await buy(PACK.small);
    provider.calls.length = 0;
    const { status } = await buy(PACK.small);
    expect([status, provider.calls]).toEqual([200, ['sessions.create']]);
  });

  it('of a pack leaves an open one alone: packs may be bought side by side', async () => {
    const { buy, provider } = await service();
    await buy(PACK.small);
    await buy(PACK.large);
    expect(provider.open).toHaveLength(2);
  });

  it('of a plan closes the abandoned one, and its trial is not lost', async () => {
    const { buy, provider } = await service();
    const first = await buy(PLAN.monthly);
    const second = await buy(PLAN.yearly);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(provider.sessions.get(String(first.body.sessionId))?.status).toBe('expired');
    expect(trialOf(provider)).toEqual([7]);
  });

  it('of a plan is refused when the earlier one was paid a moment ago, before the webhook came', async () => {
    const { buy, provider } = await service();
    const { body } = await buy(PLAN.monthly);
    provider.complete(String(body.sessionId), 'trialing');
    const again = await buy(PLAN.monthly);
    expect([again.status, again.body.code]).toEqual([409, 'already_subscribed']);
    expect(provider.open).toEqual([]);
  });

  it('of a plan stays refused until the webhook comes, however often it is tried', async () => {
    const { buy, provider } = await service();
    const { body } = await buy(PLAN.monthly);
    provider.complete(String(body.sessionId), 'trialing');
    for (const lookupKey of [PLAN.monthly, PLAN.yearly, PLAN.monthly])
      expect((await buy(lookupKey)).body.code).toBe('already_subscribed');
    expect(provider.sessions.size).toBe(1);
  });

  it('of a lifetime plan closes the one before: it can be paid once', async () => {
    const { buy, provider } = await service();
    await Promise.all([buy(PLAN.lifetime), buy(PLAN.lifetime), buy(PLAN.monthly)]);
    await buy(PLAN.lifetime);
    expect(provider.open.map(({ mode }) => mode)).toEqual(['payment']);
  });

  it('of a lifetime plan that was paid a moment ago is refused, until its money went back', async () => {
    const { buy, provider } = await service();
    const { body } = await buy(PLAN.lifetime);
    provider.complete(String(body.sessionId), 'succeeded');
    for (const lookupKey of [PLAN.lifetime, PLAN.monthly, PLAN.lifetime])
      expect((await buy(lookupKey)).body.code).toBe('already_owned');
    const intent = provider.sessions.get(String(body.sessionId))?.payment_intent;
    if (intent) intent.latest_charge.refunded = true;
    expect((await buy(PLAN.lifetime)).status).toBe(200);
  });

  it('of a lifetime plan may follow a subscription that was bought a moment ago', async () => {
    const { buy, provider } = await service();
    const { body } = await buy(PLAN.monthly);
    provider.complete(String(body.sessionId), 'active');
    expect((await buy(PLAN.lifetime)).status).toBe(200);
  });

  it('of a plan is possible again after the earlier subscription ended', async () => {
    const { buy, provider, record } = await service();
    const { body } = await buy(PLAN.monthly);
    provider.complete(String(body.sessionId), 'canceled');
    await record({ paid: false, plan: PLAN.monthly, status: 'canceled', trialUsed: true });
    expect((await buy(PLAN.monthly)).status).toBe(200);
    expect(trialOf(provider)).toEqual([undefined]);
  });
});

describe('a page that ran out while its events did not come', () => {
  /** As long after as nobody can pay it any more. */
  async function runsOut({ user, checkoutState }: Awaited<ReturnType<typeof service>>): Promise<void> {
    const { open } = await checkoutState();
    const session = { ...open.session, expiresAt: Date.now() - 1 };
    await firestore.doc(`billing_facts/${user.uid}`).update({ 'checkout.open.session': session });
  }

  it('is asked whether it was paid: no second subscription is sold', async () => {
    const buyer = await service();
    const { buy, provider } = buyer;
    const { body } = await buy(PLAN.monthly);
    provider.complete(String(body.sessionId), 'trialing');
    await runsOut(buyer);
    for (const lookupKey of [PLAN.monthly, PLAN.yearly]) {
      const again = await buy(lookupKey);
      expect([again.status, again.body.code]).toEqual([409, 'already_subscribed']);
    }
    expect(provider.sessions.size).toBe(1);
  });

  it('has used the trial, also where its subscription is over by now', async () => {
    const buyer = await service();
    const { buy, provider } = buyer;
    const { body } = await buy(PLAN.monthly);
    provider.complete(String(body.sessionId), 'trialing');
    const session = provider.sessions.get(String(body.sessionId));
    if (session?.subscription) Object.assign(session.subscription, { status: 'canceled', trial_end: 1 });
    await runsOut(buyer);
    expect((await buy(PLAN.yearly)).status).toBe(200);
    await runsOut(buyer);
    expect((await buy(PLAN.monthly)).status).toBe(200);
    expect(trialOf(provider)).toEqual([undefined]);
  });

  it('is still asked about after a request that died before it could', async () => {
    let now = Date.now();
    const { buy, provider, user, checkoutState } = await service({ now: () => now });
    const { body } = await buy(PLAN.monthly);
    provider.complete(String(body.sessionId), 'active');
    const { open } = await checkoutState();
    await firestore
      .doc(`billing_facts/${user.uid}`)
      .update({ 'checkout.open': { ...open, attempt: 'died', session: null, before: open.session.id } });
    now += 46_000;
    expect((await buy(PLAN.yearly)).body.code).toBe('already_subscribed');
  });

  it('may have been a lifetime plan, which is not sold twice', async () => {
    const buyer = await service();
    const { buy, provider } = buyer;
    const { body } = await buy(PLAN.lifetime);
    provider.complete(String(body.sessionId), 'succeeded');
    await runsOut(buyer);
    expect((await buy(PLAN.lifetime)).body.code).toBe('already_owned');
  });
});

describe('one user who opens checkouts without end', () => {
  it('opens ten in a minute, on all instances together, and is told when to come again', async () => {
    let now = Date.now();
    const { buy, provider } = await service({ now: () => now });
    const answers = await Promise.all(Array.from({ length: 36 }, () => buy(PACK.small)));
    const refused = answers.filter(({ status }) => status === 429);
    expect([answers.filter(({ status }) => status === 200).length, refused.length]).toEqual([10, 26]);
    expect(refused.every(({ retryAfter }) => Number(retryAfter) > 0 && Number(retryAfter) <= 60)).toBe(true);
    expect(provider.sessions.size).toBe(10);
    const asked = provider.calls.length;
    expect((await buy(PLAN.monthly)).status).toBe(429);
    expect(provider.calls.length).toBe(asked);
    now += 60_000;
    expect((await buy(PLAN.monthly)).status).toBe(200);
  });

  it('has ten pages of packs open at most: the oldest is closed for another one', async () => {
    let now = Date.now();
    const { buy, provider } = await service({ now: () => now });
    const first = await buy(PACK.small);
    for (let more = 0; more < 11; more += 1) {
      now += 7_000;
      expect((await buy(PACK.large)).status).toBe(200);
    }
    expect(provider.open).toHaveLength(10);
    expect(provider.sessions.get(String(first.body.sessionId))?.status).toBe('expired');
  });

  it('is answered for one plan by one checkout, however many ask at once, and few wait for it', async () => {
    let reads = 0;
    const getAll: typeof firestore.getAll = (...refs) => {
      reads += 1;
      return firestore.getAll(...refs);
    };
    const counted = Object.assign(Object.create(firestore), { getAll });
    const { promise: refused, resolve: refuse } = Promise.withResolvers<void>();
    const { buy, provider } = await service({
      firestore: counted,
      // The first is not done before all have come: 20 of them wait on each of the two instances.
      hold: refused,
    });
    let refusals = 0;
    const answers = await Promise.all(
      Array.from({ length: 160 }, async () => {
        const { status } = await buy(PLAN.monthly);
        refusals += Number(status === 429);
        if (refusals === 120) refuse();
        return status;
      }),
    );
    expect(answers.filter((status) => status === 429)).toHaveLength(120);
    expect(answers).toContain(200);
    // On a slow machine the other instance may have looked in vain.
    expect(answers.filter((status) => ![200, 429, 503].includes(status))).toEqual([]);
    expect(provider.open).toHaveLength(1);
    expect(trialOf(provider)).toEqual([7]);
    // Two instances of one run each, which was 2,642 reads when every request looked for itself.
    expect(reads).toBeLessThan(20);
  });
});

describe('what the record says', () => {
  it.each([
    [{ paid: true, plan: PLAN.monthly, status: 'active', trialUsed: true }, 'already_subscribed'],
    [{ paid: true, plan: PLAN.monthly, status: 'past_due', trialUsed: true }, 'already_subscribed'],
    [
      { paid: true, plan: PLAN.lifetime, planKind: 'lifetime', status: 'active', trialUsed: false },
      'already_owned',
    ],
  ])('%j stands in the way of a plan: %s, and the portal is named', async (stored, code) => {
    const { buy, provider, record } = await service();
    await record(stored);
    const { status, body } = await buy(PLAN.yearly);
    expect([status, body.code]).toEqual([409, code]);
    expect(body.detail).toContain('/billing/portal');
    expect(provider.calls).toEqual([]);
    expect((await buy(PACK.small)).status).toBe(200);
  });

  it('no second trial', async () => {
    const { buy, provider, record } = await service();
    await record({ ...NEVER_PAID, trialUsed: true });
    await buy(PLAN.monthly);
    expect(trialOf(provider)).toEqual([undefined]);
  });

  it('the customer of an imported record is used', async () => {
    const { buy, provider, record } = await service();
    provider.customers.set('cus_imported', { id: 'cus_imported' });
    await record({ ...NEVER_PAID, customerId: 'cus_imported' });
    await buy(PACK.small);
    expect(provider.open.map(({ customer }) => customer)).toEqual(['cus_imported']);
  });
});

describe('ten checkouts at once', () => {
  it('of one plan, in two processes: one customer, one session, one trial, the same answer', async () => {
    const { buy, provider } = await service();
    const answers = await Promise.all(Array.from({ length: 10 }, () => buy(PLAN.monthly)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(provider.customers.size).toBe(1);
    expect(provider.open).toHaveLength(1);
    expect(trialOf(provider)).toEqual([7]);
    const last = provider.open[0]?.id;
    expect(answers.some(({ body }) => body.sessionId === last)).toBe(true);
  });

  it('of two plans: still one trial', async () => {
    const { buy, provider } = await service();
    const keys = Array.from({ length: 10 }, (_, i) => (i % 2 ? PLAN.monthly : PLAN.yearly));
    const answers = await Promise.all(keys.map(buy));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(provider.customers.size).toBe(1);
    expect(trialOf(provider)).toEqual([7]);
  });

  it('of packs: one customer, ten sessions', async () => {
    const { buy, provider } = await service();
    await Promise.all(Array.from({ length: 10 }, () => buy(PACK.small)));
    expect([provider.customers.size, provider.open.length]).toEqual([1, 10]);
  });
});

describe('when the provider fails', () => {
  it.each(['prices.list', 'customers.create', 'sessions.create'])(
    'at %s, the answer is 502 and the next try goes through',
    async (operation) => {
      const { buy, provider, log } = await service();
      provider.failNext(operation, providerError('StripeConnectionError', { code: 'ECONNREFUSED' }));
      const { status, body } = await buy(PLAN.monthly);
      expect([status, body.code]).toEqual([502, 'provider_unavailable']);
      expect(log.lines).toEqual([
        expect.objectContaining({
          event: 'provider_failed',
          fields: expect.objectContaining({ code: 'ECONNREFUSED' }),
        }),
      ]);
      expect((await buy(PLAN.monthly)).status).toBe(200);
      expect(trialOf(provider)).toEqual([7]);
    },
  );

  it('a failure that it remembers under the customer’s key does not lock the user out', async () => {
    const { buy, provider } = await service();
    provider.failNext('customers.create', providerError('StripeAPIError', { statusCode: 500 }));
    expect((await buy(PLAN.monthly)).status).toBe(200);
    expect(provider.customers.size).toBe(1);
  });

  it('while the earlier checkout is closed, that one is closed by the next try: no second trial', async () => {
    const { buy, provider } = await service();
    await buy(PLAN.monthly);
    provider.failNext('sessions.expire', providerError('StripeConnectionError'));
    expect((await buy(PLAN.yearly)).status).toBe(502);
    expect((await buy(PLAN.yearly)).status).toBe(200);
    expect(trialOf(provider)).toEqual([7]);
  });

  it('after it made the session, so that only its answer is lost, the next try closes that session', async () => {
    const { buy, provider } = await service();
    await buy(PACK.small);
    provider.loseAnswer('sessions.create', providerError('StripeConnectionError'));
    expect((await buy(PLAN.monthly)).status).toBe(502);
    expect((await buy(PLAN.yearly)).status).toBe(200);
    expect(trialOf(provider).filter((days) => days === 7)).toEqual([7]);
  });

  it('a customer that it no longer has is replaced, once for all', async () => {
    const { buy, provider, record } = await service();
    await record({ ...NEVER_PAID, customerId: 'cus_deleted' });
    expect((await buy(PLAN.monthly)).status).toBe(200);
    expect((await buy(PACK.small)).status).toBe(200);
    expect(provider.customers.size).toBe(1);
  });

  it('a price that was replaced since it was looked up is looked up again', async () => {
    const { buy, provider } = await service();
    const archived = providerError('StripeInvalidRequestError', { param: 'line_items[0][price]' });
    provider.failNext('sessions.create', archived);
    expect((await buy(PACK.small)).status).toBe(200);
    expect(provider.calls.filter((call) => call === 'prices.list')).toHaveLength(2);
  });

  it('a request that died after its session was made leaves no second trial behind', async () => {
    let now = Date.now();
    const { buy, provider, user, checkoutState } = await service({ now: () => now });
    await buy(PLAN.monthly);
    const { open } = await checkoutState();
    await firestore.doc(`billing_facts/${user.uid}`).update({ 'checkout.open': { ...open, session: null } });
    now += 46_000;
    expect((await buy(PLAN.yearly)).status).toBe(200);
    expect(trialOf(provider)).toEqual([7]);
    expect(provider.sessions.size).toBe(2);
  });
});

describe('the portal', () => {
  it('is for those who bought something', async () => {
    const { portal, provider } = await service();
    const { status, body } = await portal();
    expect([status, body.code]).toEqual([409, 'no_customer']);
    expect(provider.calls).toEqual([]);
  });

  it('opens for the user’s own customer', async () => {
    const { portal, record } = await service();
    await record({ ...NEVER_PAID, customerId: 'cus_mine' });
    expect(await portal()).toMatchObject({
      status: 200,
      body: { url: 'https://provider.test/portal/cus_mine' },
    });
  });

  it('answers 502 when the provider does not', async () => {
    const { portal, provider, record } = await service();
    await record({ ...NEVER_PAID, customerId: 'cus_mine' });
    provider.failNext('portal.create', providerError('StripeConnectionError'));
    expect(await portal()).toMatchObject({ status: 502, body: { code: 'provider_unavailable' } });
  });
});

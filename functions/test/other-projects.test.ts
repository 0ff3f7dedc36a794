import { PLAN } from '@extension-billing/contract/test/catalog';
import { describe, expect, it } from 'vitest';
import { aConfig } from './app/config.ts';
import { invoicePaid, type PostedEvent, packBought, subscriptionEvent } from './factories/provider-events.ts';
import { UID } from './fuzz/any-event.ts';
import { servedInMemory } from './fuzz/served.ts';

/** The service of the project "here", on an account that it shares with others. */
async function here() {
  const { deliver, database } = await servedInMemory({ config: aConfig({ project: 'here' }) });
  return {
    async deliver(event: PostedEvent): Promise<string> {
      const { body } = await deliver(JSON.stringify({ object: 'event', ...event }));
      return JSON.parse(body).outcome;
    },
    record: () => database.documents.get(`customers/${UID}`)?.data,
    ids: () => [...database.documents.keys()],
  };
}

const shop = { uid: UID, subscription: 'sub_shop' };
const priced = (lookup_key: string | null) => ({
  items: {
    object: 'list',
    data: [{ current_period_end: 4_000_000_000, price: { id: 'price_1', lookup_key } }],
  },
});

describe('what another project sold on the same account', () => {
  const elsewhere = { metadata: { uid: UID, kind: 'subscription', project: 'there' } };

  it('is ignored: it gives nothing, and leaves no marker', async () => {
    const { deliver, ids } = await here();
    expect(await deliver(subscriptionEvent('created', shop, elsewhere))).toBe('ignored');
    const { metadata } = packBought({ uid: UID }).data.object as { metadata: object };
    const pack = packBought({ uid: UID }, 100, { metadata: { ...metadata, project: 'there' } });
    expect(await deliver(pack)).toBe('ignored');
    const invoice = structuredClone(invoicePaid(shop)) as {
      data: { object: { parent: { subscription_details: { metadata: Record<string, string> } } } };
    } & PostedEvent;
    invoice.data.object.parent.subscription_details.metadata.project = 'there';
    expect(await deliver(invoice)).toBe('ignored');
    expect(ids()).toEqual([]);
  });
});

describe('a price of the account that is none of the catalogue', () => {
  const untagged = { metadata: { uid: UID } };

  it.each([
    ['a lookup key of somebody else', priced('other_shop')],
    ['no lookup key', priced(null)],
  ])('with %s entitles to nothing, and stands in nobody’s way', async (_what, price) => {
    const { deliver, record } = await here();
    await deliver(subscriptionEvent('created', shop, { ...untagged, ...price }));
    expect(record()).toMatchObject({ paid: false, plan: null, status: null });
  });

  it('brings no credits either, whichever of its events comes first', async () => {
    const subscription = subscriptionEvent('created', shop, { ...untagged, ...priced('other_shop') });
    const orders = [
      [subscription, invoicePaid(shop)],
      [invoicePaid(shop), subscription],
    ];
    for (const events of orders) {
      const { deliver, record } = await here();
      for (const event of events) await deliver(event);
      expect(record()?.creditsRemaining ?? 0).toBe(0);
      expect(record()).toMatchObject({ paid: false });
    }
  });

  it('takes nothing from a plan that is ours', async () => {
    const { deliver, record } = await here();
    await deliver(subscriptionEvent('created', { uid: UID, subscription: 'sub_ours' }));
    await deliver(subscriptionEvent('created', shop, { ...untagged, ...priced('other_shop') }));
    expect(record()).toMatchObject({ paid: true, plan: PLAN.metered, status: 'active' });
  });

  it('sells no packs and no lifetime plan by its metadata', async () => {
    const { deliver, record } = await here();
    const metadata = { uid: UID, kind: 'lifetime', lookup_key: 'other_shop', credits: '100' };
    await deliver(packBought({ uid: UID }, 100, { metadata }));
    expect(record()).toMatchObject({ paid: false });
    expect(record()).not.toHaveProperty('creditsRemaining');
  });
});

describe('what this project sold', () => {
  it.each([
    ['before there was a tag, and was switched to a price without a key', { ...priced(null) }],
    ['before there was a tag, and was switched to a price of another key', { ...priced('vip_offer') }],
  ])('counts where it was sold %s', async (_what, price) => {
    const { deliver, record } = await here();
    await deliver(subscriptionEvent('created', shop, price));
    expect(record()).toMatchObject({ paid: true, plan: PLAN.metered });
  });

  it('counts by its tag, also when its plan has left the catalogue', async () => {
    const { deliver, record } = await here();
    const metadata = { uid: UID, kind: 'subscription', lookup_key: 'pro_2024', project: 'here' };
    await deliver(subscriptionEvent('created', shop, { metadata, ...priced('pro_2024') }));
    expect(record()).toMatchObject({ paid: true, plan: 'pro_2024' });
  });

  it('counts where this project’s own id is not known', async () => {
    const { deliver, database } = await servedInMemory({ config: aConfig({ project: null }) });
    const metadata = { uid: UID, lookup_key: PLAN.monthly, project: 'there' };
    await deliver(JSON.stringify({ object: 'event', ...subscriptionEvent('created', shop, { metadata }) }));
    expect(database.documents.get(`customers/${UID}`)?.data).toMatchObject({ paid: true });
  });
});

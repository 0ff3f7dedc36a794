import { describe, expect, it } from 'vitest';
import { fakeStorage } from '../../test/fake-storage-area.ts';
import type { ApiAnswer } from './api.ts';
import { createPrices } from './prices.ts';

const PRICE = { lookupKey: 'pro_monthly', amount: 800, currency: 'eur' };

/** `whileAsked`: what happens before the service has answered. */
function ask(
  answer: ApiAnswer<unknown>,
  uid: string | null = 'ada',
  whileAsked: { uid?: string | null } = {},
) {
  const asked: string[] = [];
  let signedIn = uid;
  const get = async <Body>({ path }: { readonly path: string }) => {
    asked.push(path);
    if (whileAsked.uid !== undefined) signedIn = whileAsked.uid;
    return answer as ApiAnswer<Body>;
  };
  const { area, peek } = fakeStorage({}, 'session');
  const { tell, forget } = createPrices({ api: { get }, uid: async () => signedIn, area, now: () => 1_000 });
  return { asked, prices: tell, forget, kept: () => peek('billingPrices') };
}

describe('what offers cost', () => {
  it('is asked for in a currency, and told with whom it is for', async () => {
    const { asked, prices } = ask({ kind: 'answered', body: { prices: [PRICE] } });
    expect(await prices({ currency: 'eur' })).toEqual({ ok: true, uid: 'ada', prices: [PRICE] });
    await prices({});
    expect(asked).toEqual(['/billing/prices?currency=eur', '/billing/prices']);
  });

  it('is kept for every page, until it is forgotten', async () => {
    const { prices, forget, kept } = ask({ kind: 'answered', body: { prices: [PRICE] } });
    await prices({ currency: 'eur' });
    expect(kept()).toEqual({ uid: 'ada', currency: 'eur', at: 1_000, prices: [PRICE] });
    await forget();
    expect(kept()).toBeUndefined();
  });

  it.each([null, 'bob'])('is nobody’s when %j is signed in before the answer comes', async (uid) => {
    const { prices, kept } = ask({ kind: 'answered', body: { prices: [PRICE] } }, 'ada', { uid });
    expect([await prices({}), kept()]).toEqual([{ ok: false }, undefined]);
  });

  it('is nothing for nobody: the service is not asked', async () => {
    const { asked, prices } = ask({ kind: 'unreachable' }, null);
    expect([await prices({}), asked]).toEqual([{ ok: false }, []]);
  });

  it.each<ApiAnswer<unknown>>([
    { kind: 'unreachable' },
    { kind: 'timeout' },
    { kind: 'answered', body: {} },
    { kind: 'answered', body: { prices: 'free' } },
  ])('is not known after %j', async (answer) => {
    const { prices, kept } = ask(answer);
    expect([await prices({}), kept()]).toEqual([{ ok: false }, undefined]);
  });
});

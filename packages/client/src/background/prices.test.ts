import { describe, expect, it } from 'vitest';
import type { ApiAnswer } from './api.ts';
import { createPrices } from './prices.ts';

const PRICE = { lookupKey: 'pro_monthly', amount: 800, currency: 'eur' };

function ask(answer: ApiAnswer<unknown>, uid: string | null = 'ada') {
  const asked: string[] = [];
  const get = async <Body>({ path }: { readonly path: string }) => {
    asked.push(path);
    return answer as ApiAnswer<Body>;
  };
  return { asked, prices: createPrices({ api: { get }, uid: async () => uid }) };
}

describe('what offers cost', () => {
  it('is asked for in a currency, and told with whom it is for', async () => {
    const { asked, prices } = ask({ kind: 'answered', body: { prices: [PRICE] } });
    expect(await prices({ currency: 'eur' })).toEqual({ ok: true, uid: 'ada', prices: [PRICE] });
    await prices({});
    expect(asked).toEqual(['/billing/prices?currency=eur', '/billing/prices']);
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
    expect(await ask(answer).prices({})).toEqual({ ok: false });
  });
});

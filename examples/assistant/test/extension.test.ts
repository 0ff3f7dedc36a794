import { expect, it } from 'vitest';
import catalog from '../billing.config.ts';
import { describeEstimate, describeReceipt, estimate, type OfferedModel } from '../extension/src/estimate.ts';
import { MODELS } from '../function/models.ts';
import { priceIn } from '../function/price.ts';
import { readSettings } from '../function/settings.ts';
import { fakeCharging } from './fake-charging.ts';
import { askFor, serveAssistant } from './serve.ts';

const price = priceIn(catalog, 'chat');
const USAGE = { input: 1_500, cached: 10_000, output: 100, reasoning: 25 };

it('says beforehand what the function then holds, and afterwards what was taken', async () => {
  const { charging, kept } = fakeCharging({ ada: 1_000 });
  const { client, play } = await serveAssistant({ ...charging }, price);
  play({ text: ['Well.'], usage: USAGE });
  const { data } = await client('ada').models.list();
  for (const content of ['Hello', 'Grüße aus 東京 '.repeat(200)]) {
    for (const model of data as unknown as readonly OfferedModel[]) {
      const { most, isTooLong } = estimate([{ role: 'user', text: content }], model);
      await askFor(client('ada'), model.id, content);
      expect(price.costOf(kept.at(-1)?.units as typeof USAGE)).toBe(most);
      expect(isTooLong).toBe(false);
    }
  }
});

it('is in words that a user reads', () => {
  const model = { id: 'small', billing: { maxOutput: 1_024, hold: price.hold, rates: price.rates } };
  const said = (text: string) => describeEstimate(estimate([{ role: 'user', text }], model));
  expect(said('Hello')).toBe('About 2 credits, 5 credits at most.');
  expect(said('x'.repeat(60_000))).toBe('This is too long for one question. Send less.');
  const receipt = { credits: price.costOf(USAGE), usage: USAGE, estimated: false, balance: 7 };
  expect(describeReceipt(receipt)).toBe(
    '3 credits (1500 input, 10000 cached, 100 output, 25 reasoning tokens). 7 left.',
  );
  expect(describeReceipt({ ...receipt, credits: null, estimated: true })).toMatch(
    /not settled yet \(.*, estimated\)/,
  );
});

it('offers the models that there is a key for', () => {
  expect(Object.keys(readSettings({ ANTHROPIC_API_KEY: 'sk' }).models)).toEqual(['balanced']);
  expect(Object.keys(readSettings({ STAND_IN_URL: 'http://127.0.0.1:4300' }).models)).toEqual(
    Object.keys(MODELS),
  );
  const own = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'https://models.example/v1/' };
  expect(readSettings(own).upstreams.openai).toEqual({ url: 'https://models.example/v1', key: 'k' });
  expect(() => readSettings({})).toThrow(/Set OPENAI_API_KEY/);
});

it('needs a feature that can be charged by the token', () => {
  expect(() => priceIn({ features: { chat: { cost: 1 } } }, 'chat')).toThrow(
    /"chat" a hold and rates for input/,
  );
  expect(() => priceIn(catalog, 'constructor')).toThrow(/"constructor"/);
});

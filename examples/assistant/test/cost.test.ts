import fc from 'fast-check';
import { expect, it } from 'vitest';
import catalog from '../billing.config.ts';
import { describeEstimate, describeReceipt, estimate } from '../extension/src/estimate.ts';
import { parseChatRequest } from '../function/chat-request.ts';
import { boundsOf, costOf, dearestOf, NOTHING_READ, priceIn, read, usageOf } from '../function/cost.ts';
import { eventsOf } from '../function/stand-in.ts';
import { chunkOf } from '../function/upstream.ts';

const BOUNDS = { mostInput: 400, likelyInput: 60, mostOutput: 100 };
const USAGE = { input: 21, cached: 34, output: 8, reasoning: 13 };
const count = fc.nat(1_000);
const usages = fc.record({ input: count, cached: count, output: count, reasoning: count });
const chunk = { text: '', reasoning: '', finish: null, usage: null };
const spoken = read(NOTHING_READ, { ...chunk, text: 'x'.repeat(30) });

it('counts each token in one pool', () => {
  const events = eventsOf({ text: ['Grüße', ' aus 東京'], reasoning: ['Hm.'], usage: USAGE });
  const chunks = events.slice(0, -1).map((event) => chunkOf(JSON.parse(event.slice('data: '.length))));
  expect(chunks.map(({ text }) => text).join('')).toBe('Grüße aus 東京');
  expect(chunks.reduce(read, NOTHING_READ)).toEqual({
    ...{ textBytes: 18, reasoningBytes: 3, finish: 'stop', usage: USAGE, isCounted: true },
  });
});

it('reads text beside damaged usage, and nothing from what is no chunk', () => {
  for (const completion_tokens of [-1, 0.5, '8', null, 1e300]) {
    const usage = { prompt_tokens: 5, completion_tokens };
    const said = { choices: [{ delta: { content: 'Hi' }, finish_reason: 'eos' }], usage };
    expect(chunkOf(said)).toEqual({ text: 'Hi', reasoning: '', finish: 'stop', usage: null });
  }
  fc.assert(fc.property(fc.jsonValue(), (said) => void expect(chunkOf(said)).toEqual(chunk)));
});

it('takes the upstream’s count once it is final, and else estimates within the call’s limits', () => {
  const early = read(spoken, { ...chunk, usage: USAGE });
  expect(usageOf(early, BOUNDS, 0)).toEqual({ usage: { ...USAGE, output: 10 }, isEstimated: true });
  const final = read(read(spoken, { ...chunk, finish: 'stop' }), { ...chunk, usage: USAGE });
  expect(usageOf(final, BOUNDS, 5)).toEqual({ usage: USAGE, isEstimated: false });
  const [input, cached] = [60, 0];
  expect(usageOf(NOTHING_READ, BOUNDS, 5).usage).toEqual({ input, cached, output: 0, reasoning: 0 });
  expect(usageOf(spoken, BOUNDS, 5).usage).toEqual({ input, cached, output: 10, reasoning: 5 });
  const most = fc.nat(10_000);
  fc.assert(
    fc.property(most, most, most, (textBytes, reasoningBytes, hidden) => {
      const { usage } = usageOf({ ...NOTHING_READ, textBytes, reasoningBytes }, BOUNDS, hidden);
      expect(usage.output + usage.reasoning).toBeLessThanOrEqual(BOUNDS.mostOutput);
      expect(Math.min(...Object.values(usage))).toBeGreaterThanOrEqual(0);
    }),
  );
});

it('holds enough: no usage within the bounds costs more than the dearest', () => {
  const rate = fc.record({ credits: fc.nat(50), per: fc.integer({ min: 1, max: 5_000 }) });
  const prices = fc.record({
    hold: fc.constant(0),
    rates: fc.record({ input: rate, cached: rate, output: rate, reasoning: rate }),
  });
  fc.assert(
    fc.property(prices, usages, (price, usage) => {
      const [mostInput, mostOutput] = [usage.input + usage.cached, usage.output + usage.reasoning];
      const dearest = dearestOf({ mostInput, likelyInput: 0, mostOutput }, price);
      expect(costOf(price, usage)).toBeLessThanOrEqual(costOf(price, dearest));
    }),
  );
});

it('bounds the input by its bytes', () => {
  const texts = fc.array(fc.constantFrom('', 'a', 'Grüße', '東京', '🎈', '\u{fdfa}', ' '.repeat(99)));
  fc.assert(
    fc.property(texts, (said) => {
      const bounds = boundsOf(
        said.map((text) => ({ role: 'user', text })),
        9,
      );
      expect(bounds.mostInput).toBeGreaterThan(Buffer.byteLength(said.join('')));
      expect(bounds.likelyInput).toBeLessThan(bounds.mostInput);
    }),
  );
});

it('needs a feature with a rate for each pool', () => {
  expect(() => priceIn({ chat: { cost: 1 } }, 'chat')).toThrow(/give "chat" a hold and rates for input/);
  expect(() => priceIn(catalog.features, 'constructor')).toThrow(/"constructor"/);
});

it('tells the user what a question can cost, and what it cost', () => {
  const price = priceIn(catalog.features, 'chat');
  const model = { id: 'small', billing: { ...price, maxOutput: 1_024 } };
  const said = (text: string) => describeEstimate(estimate([{ role: 'user', text }], model));
  expect(said('Hello')).toBe('About 2 credits, 5 credits at most.');
  expect(said('x'.repeat(60_000))).toBe('This is too long for one question. Send less.');
  const usage = { input: 1_500, cached: 10_000, output: 100, reasoning: 25 };
  const receipt = { reservation: 'r', credits: costOf(price, usage), usage, estimated: false, balance: 7 };
  expect(describeReceipt(receipt)).toBe(
    '3 credits (1500 input, 10000 cached, 100 output, 25 reasoning tokens). 7 left.',
  );
  expect(describeReceipt({ ...receipt, credits: null, estimated: true })).toMatch(
    /not settled yet \(.*, estimated\)/,
  );
});

const asked = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] };
const parse = (body: object) => parseChatRequest(JSON.stringify(body));

it('reads a request as OpenAI does', () => {
  const content = ['Hel', 'lo'].map((text) => ({ type: 'text', text }));
  const messages = [
    { role: 'developer', content: 'Be short.' },
    { role: 'user', content },
  ];
  const options = {
    stream: true,
    stream_options: { include_usage: true },
    max_completion_tokens: 7,
    stop: 'end',
  };
  expect(parse({ model: 'm', messages, ...options })).toMatchObject({
    messages: [
      { role: 'system', text: 'Be short.' },
      { role: 'user', text: 'Hello' },
    ],
    ...{ isStreamed: true, asksForUsage: true, maxOutput: 7, stop: ['end'] },
  });
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (body) => void parseChatRequest(body)));
});

it.each([
  ['tools', { ...asked, tools: [] }],
  ['n', { ...asked, n: 2 }],
  ['max_tokens', { ...asked, max_tokens: -1 }],
  ['messages', { model: 'm', messages: [] }],
  ['model', { messages: asked.messages }],
  ['messages.0.role', { model: 'm', messages: [{ role: 'tool', content: '' }] }],
  ['messages.0.content', { model: 'm', messages: [{ role: 'user', content: [{ type: 'image_url' }] }] }],
])('refuses a request for "%s", by its name', (param, body) => {
  expect(parse(body)).toMatchObject({ param, message: expect.stringContaining(`"${param}"`) });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundsOf, bytesOf, dearestOf } from '../gateway/bounds.ts';
import { parseChatRequest } from '../gateway/chat-request.ts';
import { chunkWriter } from '../gateway/chunks.ts';
import { FORMATS, type FormatName } from '../gateway/formats.ts';
import { endingOf, NOTHING_READ, outcomeOf, type Reading, read } from '../gateway/reading.ts';
import { type SseEvent, sseReader } from '../gateway/sse.ts';
import { type Part, POOLS, type Usage } from '../gateway/usage.ts';
import type { Scene } from '../upstream/scene.ts';
import { eventsOf } from '../upstream/serve.ts';

const NAMES = Object.keys(FORMATS) as FormatName[];
const USAGE = { input: 21, cached: 34, output: 8, reasoning: 13 };
const SCENE: Scene = { text: ['Grüße', ' aus 東京 🎈', '.'], reasoning: ['Hm.'], usage: USAGE };
const BOUNDS = { mostInput: 400, likelyInput: 60, mostOutput: 100 };
const bytes = (text: string) => new TextEncoder().encode(text);

/** What comes of a stream that arrives in these pieces. */
function readAll(name: FormatName, pieces: readonly Uint8Array[]) {
  const take = sseReader();
  const parts = pieces.flatMap(take).flatMap(({ data }) => FORMATS[name].partsOf(data));
  return { parts, reading: parts.reduce(read, NOTHING_READ), text: textOf(parts) };
}
const textOf = (parts: readonly Part[]) =>
  parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');

describe.each(NAMES)('a stream of %s', (name) => {
  const stream = bytes(eventsOf(name, SCENE).join(''));

  it('says its text, its finish and each token in one pool, in pieces of any size', () => {
    for (const size of [1, 2, 3, 7, stream.length]) {
      const pieces = Array.from({ length: Math.ceil(stream.length / size) }, (_, index) =>
        stream.subarray(index * size, (index + 1) * size),
      );
      const { reading, text } = readAll(name, pieces);
      expect(text).toBe('Grüße aus 東京 🎈.');
      expect(reading).toMatchObject({ finish: 'stop', usage: USAGE, isCounted: true, error: null });
      expect(reading.reasoningBytes).toBe(3);
    }
  });

  it('cut at every byte says no more than what came, and is counted only where its count is whole', () => {
    const countedFrom = stream.length - bytes(eventsOf(name, SCENE).at(-1) ?? '').length;
    for (let cut = 0; cut <= stream.length; cut += 1) {
      const { reading, text } = readAll(name, [stream.subarray(0, cut)]);
      expect('Grüße aus 東京 🎈.'.startsWith(text)).toBe(true);
      if (reading.isCounted) expect(reading.usage).toEqual(USAGE);
      // Behind the count Gemini says nothing more, the others only that this was all.
      if (name !== 'gemini' && cut >= countedFrom) expect(reading.isCounted).toBe(true);
      const ending = endingOf(outcomeOf(reading), reading, BOUNDS, 5);
      expect(ending.kind).toBe(text === '' ? 'release' : 'settle');
    }
  });

  it.each(['stop', 'length', 'content_filter'] as const)('says that it ended by %s', (finish) => {
    const { reading } = readAll(name, [bytes(eventsOf(name, { ...SCENE, finish }).join(''))]);
    expect(reading.finish).toBe(finish);
  });

  it('without usage is charged by what was said', () => {
    const { reading } = readAll(name, [bytes(eventsOf(name, { ...SCENE, usage: null }).join(''))]);
    const spoken = Math.ceil(bytesOf('Grüße aus 東京 🎈.') / 3);
    expect(endingOf('finished', reading, BOUNDS, 5)).toEqual({
      ...{ kind: 'settle', isEstimated: true },
      usage: { input: 60, cached: 0, output: spoken, reasoning: 5 },
    });
  });

  it('makes nothing of what is no event of it', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (data) => {
        const reading = FORMATS[name].partsOf(data).reduce(read, NOTHING_READ);
        expect(reading.isCounted).toBe(false);
      }),
    );
  });

  it('with a damaged count has its text, and no count', () => {
    for (const damage of [-1, 0.5, '"8"', null, 1e300]) {
      const damaged = eventsOf(name, SCENE).map((event) =>
        event.replaceAll(/"(completion_tokens|output_tokens|candidatesTokenCount)":\d+/g, `"$1":${damage}`),
      );
      const { reading, text } = readAll(name, [bytes(damaged.join(''))]);
      expect(text).toBe('Grüße aus 東京 🎈.');
      expect(reading.isCounted).toBe(false);
    }
  });
});

describe('server-sent events', () => {
  const read = (...pieces: readonly string[]): readonly SseEvent[] => {
    const take = sseReader();
    return pieces.flatMap((piece) => take(bytes(piece)));
  };

  it('end their lines in LF, CR or CRLF, wherever they are cut', () => {
    const events = [
      { name: 'a', data: '1\n2' },
      { name: 'message', data: '3' },
    ];
    for (const end of ['\n', '\r', '\r\n']) {
      const stream = `event: a\n: a comment\ndata: 1\ndata:2\n\nid: 7\n\ndata: 3\n\n`.replaceAll('\n', end);
      for (let cut = 0; cut <= stream.length; cut += 1) {
        expect(read(stream.slice(0, cut), stream.slice(cut))).toEqual(events);
      }
    }
  });

  it('that never end are no stream of ours', () => {
    expect(() => read('data: ', 'x'.repeat(2_000_000))).toThrow(RangeError);
    expect(() => read(...Array.from({ length: 200 }, () => `data: ${'x'.repeat(10_000)}\n`))).toThrow(
      RangeError,
    );
  });
});

describe('the end of a call', () => {
  const usageOf = fc.record(
    Object.fromEntries(POOLS.map((pool) => [pool, fc.nat(1_000)])) as Record<
      keyof Usage,
      fc.Arbitrary<number>
    >,
  );
  const spoken: Reading = { ...NOTHING_READ, textBytes: 30 };

  it('is free where the upstream refused, or failed before its first word', () => {
    expect(endingOf('refused', NOTHING_READ, BOUNDS, 5)).toEqual({ kind: 'release' });
    const begun = { ...NOTHING_READ, reasoningBytes: 9, usage: { input: 9 } };
    expect(endingOf('failed', begun, BOUNDS, 5)).toEqual({ kind: 'release' });
  });

  it('charges who leaves for what they sent, and for what was streamed', () => {
    const input = { input: 60, cached: 0 };
    expect(endingOf('left', NOTHING_READ, BOUNDS, 5)).toMatchObject({
      usage: { ...input, output: 0, reasoning: 0 },
    });
    expect(endingOf('left', spoken, BOUNDS, 5)).toMatchObject({
      usage: { ...input, output: 10, reasoning: 5 },
    });
  });

  it('is by what the upstream counted, as soon as it has, however it went on', () => {
    fc.assert(
      fc.property(usageOf, fc.constantFrom('finished', 'failed', 'left'), (usage, outcome) => {
        const reading: Reading = { ...spoken, finish: 'stop', usage, isCounted: true };
        expect(endingOf(outcome, reading, BOUNDS, 5)).toEqual({ kind: 'settle', usage, isEstimated: false });
      }),
    );
  });

  it('estimates no more output than the call could have', () => {
    fc.assert(
      fc.property(fc.nat(10_000), fc.nat(10_000), fc.nat(10_000), (textBytes, reasoningBytes, hidden) => {
        const ending = endingOf('left', { ...NOTHING_READ, textBytes, reasoningBytes }, BOUNDS, hidden);
        if (ending.kind !== 'settle') throw new Error('nothing was charged');
        expect(ending.usage.output + ending.usage.reasoning).toBeLessThanOrEqual(BOUNDS.mostOutput);
        expect(Math.min(...Object.values(ending.usage))).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it('is within what is held: nothing within the bounds costs more than the dearest', () => {
    const rate = fc.record({
      credits: fc.integer({ min: 0, max: 50 }),
      per: fc.integer({ min: 1, max: 5_000 }),
    });
    const rates = fc.record({ input: rate, cached: rate, output: rate, reasoning: rate });
    fc.assert(
      fc.property(rates, usageOf, (priced, { input, cached, output, reasoning }) => {
        const bounds = { mostInput: input + cached, likelyInput: 0, mostOutput: output + reasoning };
        const costOf = (usage: Usage) =>
          POOLS.reduce((sum, pool) => sum + (usage[pool] * priced[pool].credits) / priced[pool].per, 0);
        const cost = costOf({ input, cached, output, reasoning });
        expect(cost).toBeLessThanOrEqual(costOf(dearestOf(bounds, priced)) * (1 + 1e-12));
      }),
    );
  });
});

describe('what a call can be at most', () => {
  it('has a token for every byte of what is asked, and more', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('', 'a', 'Grüße', '東京', '🎈', '\u{fdfa}', ' '.repeat(99))),
        (texts) => {
          const { mostInput, likelyInput } = boundsOf(
            texts.map((text) => ({ role: 'user', text })),
            9,
          );
          expect(mostInput).toBeGreaterThan(Buffer.byteLength(texts.join('')));
          expect(likelyInput).toBeLessThan(mostInput);
        },
      ),
    );
  });
});

describe('a request', () => {
  const asked = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] };
  const parse = (body: object) => parseChatRequest(JSON.stringify(body));

  it('is taken as OpenAI takes it', () => {
    expect(
      parse({
        model: 'm',
        messages: [
          { role: 'developer', content: 'Be short.' },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Hel' },
              { type: 'text', text: 'lo' },
            ],
          },
        ],
        stream: true,
        stream_options: { include_usage: true },
        max_completion_tokens: 7,
        stop: 'end',
      }),
    ).toMatchObject({
      messages: [
        { role: 'system', text: 'Be short.' },
        { role: 'user', text: 'Hello' },
      ],
      ...{ isStreamed: true, asksForUsage: true, maxOutput: 7, stop: ['end'] },
    });
  });

  it.each([
    ['tools', { ...asked, tools: [] }],
    ['n', { ...asked, n: 2 }],
    ['max_tokens', { ...asked, max_tokens: -1 }],
    ['messages', { model: 'm', messages: [] }],
    ['model', { messages: asked.messages }],
    ['messages.0.role', { model: 'm', messages: [{ role: 'tool', content: '' }] }],
    ['messages.0.content', { model: 'm', messages: [{ role: 'user', content: [{ type: 'image_url' }] }] }],
  ])('is refused for %s, by its name', (param, body) => {
    expect(parse(body)).toMatchObject({ param, message: expect.stringContaining(`"${param}"`) });
  });

  it('is never a reason to throw', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (body) => void parseChatRequest(body)));
  });
});

it('an answer written in chunks is read back as it was, by the reader of its format', () => {
  const write = chunkWriter({ id: 'chatcmpl-1', created: 1, model: 'm' }, true);
  const receipt = { reservation: 'r', credits: 3, usage: USAGE, estimated: false, balance: 7 };
  const stream = [write.begin(), write.text('Grüße'), write.text('\n'), write.end('length', receipt)].join(
    '',
  );
  const { reading, text } = readAll('openai', [bytes(stream)]);
  expect(text).toBe('Grüße\n');
  expect(reading).toMatchObject({ finish: 'length', usage: USAGE, isCounted: true });
});

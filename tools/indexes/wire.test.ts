import { describe, expect, it } from 'vitest';
import { bytes, EMPTY, frame } from './frames.fixture.ts';
import { messagesAt, messagesIn, numberAt } from './wire.ts';

describe('the frames of a gRPC body', () => {
  it('are taken apart by their lengths', () => {
    const body = Buffer.concat([frame(1, 2, 3), frame(), frame(4)]);
    expect(messagesIn(body).map((message) => [...message])).toEqual([[1, 2, 3], [], [4]]);
    expect(messagesIn(EMPTY)).toEqual([]);
  });
});

describe('the fields of a message', () => {
  it('are found at the top level only, past numbers and fields of fixed width', () => {
    const nested = bytes(2, ...bytes(2, 1, 1));
    const varint = [3 * 8, 0xac, 0x02];
    const fixed = [4 * 8 + 1, 1, 2, 3, 4, 5, 6, 7, 8, 5 * 8 + 5, 1, 2, 3, 4];
    const message = Uint8Array.from([...nested, ...varint, ...fixed, ...bytes(2)]);
    expect(messagesAt(message, 2)).toHaveLength(2);
    expect(numberAt(message, 3)).toBe(300);
    expect(messagesAt(message, 9)).toEqual([]);
  });

  it('are not made up where the message is broken', () => {
    expect(() => messagesAt(Uint8Array.from([0x80]), 1)).toThrow('ends within a number');
    expect(() => messagesAt(Uint8Array.from([0x0b]), 1)).toThrow('unknown type');
  });
});

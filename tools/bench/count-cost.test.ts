import { describe, expect, it } from 'vitest';
import { addUp } from './count-cost.ts';
import { countField, messagesIn } from './grpc-frames.ts';

const frame = (...message: readonly number[]): Buffer =>
  Buffer.from([0, 0, 0, message.length >> 8, message.length & 255, ...message]);
/** A field with bytes in it, as protocol buffers write it. */
const bytes = (field: number, ...content: readonly number[]): readonly number[] => [
  field * 8 + 2,
  content.length,
  ...content,
];
const EMPTY = Buffer.alloc(0);

describe('the frames of a gRPC body', () => {
  it('are taken apart by their lengths', () => {
    const body = Buffer.concat([frame(1, 2, 3), frame(), frame(4)]);
    expect(messagesIn(body).map((message) => [...message])).toEqual([[1, 2, 3], [], [4]]);
    expect(messagesIn(EMPTY)).toEqual([]);
  });
});

describe('the fields of a message', () => {
  it('are counted at the top level only, past numbers and fields of fixed width', () => {
    const nested = bytes(2, ...bytes(2, 1, 1));
    const varint = [3 * 8, 0xac, 0x02];
    const fixed = [4 * 8 + 1, 1, 2, 3, 4, 5, 6, 7, 8, 5 * 8 + 5, 1, 2, 3, 4];
    const message = Uint8Array.from([...nested, ...varint, ...fixed, ...bytes(2)]);
    expect(countField(message, 2)).toBe(2);
    expect(countField(message, 3)).toBe(1);
    expect(countField(message, 9)).toBe(0);
  });

  it('are not made up where the message is broken', () => {
    expect(() => countField(Uint8Array.from([0x80]), 1)).toThrow('ends within a number');
    expect(() => countField(Uint8Array.from([0x0b]), 1)).toThrow('unknown type');
  });
});

describe('the cost of calls', () => {
  const read = (...answers: readonly (readonly number[])[]) => ({
    method: 'BatchGetDocuments',
    request: EMPTY,
    response: Buffer.concat(answers.map((answer) => frame(...answer))),
  });
  const commit = (writes: number, response: Buffer) => ({
    method: 'Commit',
    request: frame(...bytes(1, 65), ...Array.from({ length: writes }, () => bytes(2, 1)).flat()),
    response,
  });

  it('is a read for each document that was looked for, found or not', () => {
    const transactionOnly = bytes(3, 1);
    expect(addUp([read(transactionOnly, bytes(1, 7), bytes(2, 8), bytes(1, 9))])).toEqual({
      calls: ['BatchGetDocuments'],
      reads: 3,
      writes: 0,
    });
  });

  it('is a write for each of a commit, and none for one that was refused', () => {
    expect(addUp([commit(3, frame(...bytes(1)))]).writes).toBe(3);
    expect(addUp([commit(3, EMPTY)])).toEqual({ calls: ['Commit'], reads: 0, writes: 0 });
  });

  it('is not guessed for a call that nobody has thought of', () => {
    expect(() => addUp([{ method: 'Listen', request: EMPTY, response: EMPTY }])).toThrow('Listen');
  });
});

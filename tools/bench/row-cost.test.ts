import { describe, expect, it } from 'vitest';
import { bytes, EMPTY, frame } from '../indexes/frames.fixture.ts';
import { addUp } from './row-cost.ts';

describe('the cost of calls', () => {
  const read = (...answers: readonly (readonly number[])[]) => ({
    method: 'BatchGetDocuments',
    request: EMPTY,
    response: Buffer.concat(answers.map((answer) => frame(...answer))),
  });
  const commit = (writes: number, response: Buffer) => ({
    method: 'Commit',
    request: frame(...bytes(1, 65), ...Array.from({ length: writes }, () => bytes(2, ...bytes(1, 7))).flat()),
    response,
  });

  it('is a read for each document that was looked for, found or not', () => {
    const transactionOnly = bytes(3, 1);
    expect(addUp([read(transactionOnly, bytes(1, 7), bytes(2, 8), bytes(1, 9))])).toEqual({
      calls: ['BatchGetDocuments'],
      reads: 3,
      writes: 0,
      deletes: 0,
    });
  });

  it('is a write for each of a commit, and none for one that was refused', () => {
    expect(addUp([commit(3, frame(...bytes(1)))]).writes).toBe(3);
    expect(addUp([commit(3, EMPTY)])).toEqual({ calls: ['Commit'], reads: 0, writes: 0, deletes: 0 });
  });

  it('tells what a commit deletes from what it writes', () => {
    const [kept, gone] = [bytes(1, 7), bytes(2, 8)];
    const mixed = { method: 'Commit', request: frame(...bytes(2, ...kept), ...bytes(2, ...gone)) };
    expect(addUp([{ ...mixed, response: frame(...bytes(1)) }])).toMatchObject({ writes: 1, deletes: 1 });
  });

  it('is one read for what the database adds up, and at least one for a query', () => {
    const sum = { method: 'RunAggregationQuery', request: EMPTY, response: frame(...bytes(1, 1)) };
    const nothing = { method: 'RunQuery', request: EMPTY, response: frame(...bytes(3, 1)) };
    expect(addUp([sum, nothing]).reads).toBe(2);
  });

  it('is not guessed for a call that nobody has thought of', () => {
    expect(() => addUp([{ method: 'Listen', request: EMPTY, response: EMPTY }])).toThrow('Listen');
  });
});

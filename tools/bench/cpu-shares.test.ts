import { describe, expect, it } from 'vitest';
import { type CpuProfile, sharesOf } from './cpu-shares.ts';

const frame = (id: number, url: string, functionName = 'work', lineNumber = 0) => ({
  id,
  callFrame: { functionName, url, lineNumber, columnNumber: 0 },
});
const SOURCES = ['../../src/store/paths.ts', '../../../node_modules/@grpc/grpc-js/build/src/call.js'];

describe('what the processor’s time goes into', () => {
  it('is told by folder and package, without the time that was idle', () => {
    const profile: CpuProfile = {
      nodes: [
        frame(1, '', '(idle)'),
        frame(2, '', '(garbage collector)'),
        frame(3, 'node:internal/http2/core'),
        frame(4, 'file:///dist/service.cjs', 'a', 0),
        frame(5, 'file:///dist/service.cjs', 'b', 1),
        frame(6, '/repository/node_modules/express/index.js'),
      ],
      samples: [1, 2, 3, 4, 5, 6, 3],
      timeDeltas: [900, 10, 20, 30, 15, 5, 20],
    };
    expect(sharesOf(profile, (_file, line) => SOURCES[line])).toEqual([
      { of: 'node', share: 0.4 },
      { of: 'functions/src/store', share: 0.3 },
      { of: '@grpc/grpc-js', share: 0.15 },
      { of: '(garbage collector)', share: 0.1 },
      { of: 'express', share: 0.05 },
    ]);
  });
});

import { afterEach, expect, it, vi } from 'vitest';
import { log } from './log.ts';

afterEach(() => vi.restoreAllMocks());

it('writes one JSON object a line, those of a request with its name', () => {
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  log.info('consume', { outcome: 'granted', feature: 'demo' });
  log.of('name-of-1-request').warn('webhook_refused', { reason: 'signature' });
  const lines = written.mock.calls.map(([line]) => String(line));
  expect(lines.every((line) => line.endsWith('}\n'))).toBe(true);
  expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
    { severity: 'INFO', message: 'consume', event: 'consume', outcome: 'granted', feature: 'demo' },
    {
      severity: 'WARNING',
      message: 'webhook_refused',
      event: 'webhook_refused',
      reason: 'signature',
      correlationId: 'name-of-1-request',
    },
  ]);
});

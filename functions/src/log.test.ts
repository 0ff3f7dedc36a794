import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, expect, it, vi } from 'vitest';
import { log } from './log.ts';

afterEach(() => vi.restoreAllMocks());

it('writes one JSON object a line, those of a request with its name, and those of one moment together', async () => {
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  log.info('consume', { outcome: 'granted', feature: 'demo' });
  log.of('name-of-1-request').warn('webhook_refused', { reason: 'signature' });
  await expect.poll(() => written.mock.calls.length).toBe(1);
  const text = written.mock.calls.join('');
  expect(text.endsWith('}\n')).toBe(true);
  const lines = text.split('\n').slice(0, -1);
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

it('writes outside of every request, where the framework would take several lines for one text', async () => {
  const request = new AsyncLocalStorage<string>();
  const written: (readonly [lines: number, within: string | undefined])[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push([String(text).split('\n').length - 1, request.getStore()]);
    return true;
  });
  request.run('a request', () => {
    log.info('webhook', { outcome: 'applied' });
    log.info('webhook', { outcome: 'duplicate' });
  });
  await expect.poll(() => written).toEqual([[2, undefined]]);
});

import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { useEnglish } from '../../../test/fake-i18n.ts';
import { NO_WORKER, sayRefusal } from './say-refusal.ts';

beforeAll(useEnglish);
afterAll(() => {
  vi.doUnmock('../text/refusals.ts');
  vi.unstubAllGlobals();
});

it('says why the worker refused, and that it did not answer', async () => {
  const say = vi.fn();
  sayRefusal(say, { code: 'email_in_use' });
  sayRefusal(say, NO_WORKER);
  await vi.waitFor(() => expect(say).toHaveBeenCalledTimes(2));
  expect(say.mock.calls).toEqual([
    ['refused', 'There is an account with this email already. Sign in instead.'],
    ['refused', 'The extension did not answer. Close this page, open it again and retry.'],
  ]);
});

it('says why it cannot say more where the file with the texts cannot be read: updated, or without a network', async () => {
  vi.doMock('../text/refusals.ts', () => {
    throw new TypeError('Failed to fetch dynamically imported module');
  });
  vi.resetModules();
  const { sayRefusal } = await import('./say-refusal.ts');
  const say = vi.fn();
  sayRefusal(say, NO_WORKER);
  await vi.waitFor(() => expect(say).toHaveBeenCalledOnce());
  expect(say).toHaveBeenCalledWith('refused', 'The extension was updated. Reload this page.');
  vi.stubGlobal('navigator', { onLine: false });
  vi.stubGlobal('chrome', { ...chrome, runtime: { id: 'a-web-page' } });
  sayRefusal(say, NO_WORKER);
  await vi.waitFor(() => expect(say).toHaveBeenCalledTimes(2));
  expect(say).toHaveBeenLastCalledWith('refused', expect.stringMatching(/^You are offline/));
});

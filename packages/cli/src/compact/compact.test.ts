import { beforeEach, expect, it, type MockInstance, vi } from 'vitest';
import { compactAll } from '../../../../functions/src/ledger/all.ts';
import { run } from '../program.ts';

vi.mock('../../../../functions/src/ledger/all.ts', async (original) => ({
  ...(await original<object>()),
  compactAll: vi.fn(),
}));
vi.mock('../support/connect.ts', async (original) => ({
  ...(await original<object>()),
  connectBooks: async () => ({
    name: 'a project',
    firestore: {
      collection: () => ({ count: () => ({ get: async () => ({ data: () => ({ count: 2 }) }) }) }),
    },
  }),
}));

let printed: MockInstance;
beforeEach(() => {
  vi.stubEnv('BILLING_LEDGER_DAYS', '40');
  printed = vi.spyOn(console, 'log').mockReturnValue();
  printed.mockClear();
});

const done = { users: 2, rolled: 7, failed: 0, finished: true };

it.each([
  ['is through', done, 0, '2 users in this round, 7 entries rolled'],
  ['had nothing to do', 'idle', 0, 'Nothing to do'],
  ['met another run', 'held', 1, 'Another run is at it'],
  ['left a ledger as it is', { ...done, failed: 1 }, 1, '1 users failed'],
  ['was stopped', { ...done, finished: false }, 130, 'The same command goes on where it is'],
] as const)('billing compact says that it %s', async (_what, answer, status, text) => {
  vi.mocked(compactAll).mockResolvedValueOnce(answer);
  expect(await run(['compact'])).toBe(status);
  expect(vi.mocked(compactAll).mock.lastCall?.[1].days).toBe(40);
  expect(printed.mock.calls.flat().join('\n')).toContain(text);
});

it('billing compact refuses to roll what a key is promised for', async () => {
  vi.stubEnv('BILLING_LEDGER_DAYS', '34');
  const said = vi.spyOn(console, 'error').mockReturnValue();
  vi.mocked(compactAll).mockClear();
  expect(await run(['compact'])).toBe(2);
  expect(said.mock.calls.flat().join('\n')).toContain('must be 0, or at least 35');
  expect(compactAll).not.toHaveBeenCalled();
});

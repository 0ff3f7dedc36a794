import { expect, it, vi } from 'vitest';
import { aRecordWithoutCredits } from '../../test/factories.ts';
import { fakeStorage } from '../../test/fake-storage-area.ts';
import { parseSnapshot } from '../snapshot/snapshot.ts';
import { createSnapshotWriter } from '../snapshot/write.ts';
import type { Api, ApiAnswer } from './api.ts';
import { createExpectedCredits } from './expected-credits.ts';

type Answer = ApiAnswer<{ balance: number; allowance: number }>;
const answered = (balance: number): Answer => ({ kind: 'answered', body: { balance, allowance: balance } });
const OFFLINE: Answer = { kind: 'unreachable' };
const TWENTY = { balance: 20, allowance: 20, packCredits: 0, monthlyCredits: 0, expected: true };

/** @param answers of the service, one after the other; the last one stays */
function aWorker(...answers: readonly (Answer | Promise<Answer>)[]) {
  const asked: string[] = [];
  const api = {
    async get({ uid }: { readonly uid: string }) {
      asked.push(uid);
      return (answers[asked.length - 1] ?? answers.at(-1) ?? OFFLINE) as never;
    },
  } satisfies Pick<Api, 'get'>;
  return { expected: createExpectedCredits(api), asked };
}

it('asks nothing before a page says hello, nor for a catalogue without free credits', async () => {
  const { expected, asked } = aWorker(answered(20));
  expect(await expected.of('ada')).toBeUndefined();
  expected.heard(false);
  expected.heard(undefined);
  expect(await expected.of('ada')).toBeNull();
  expect(asked).toEqual([]);
});

it('asks for a page that has no catalogue', async () => {
  const { expected } = aWorker(answered(20));
  expected.heard(undefined);
  expect(await expected.of('ada')).toEqual(TWENTY);
});

it('asks once for each user, also where pages that do not know say hello', async () => {
  const { expected, asked } = aWorker(answered(20));
  expected.heard(true);
  expected.heard(undefined);
  expect(await Promise.all([expected.of('ada'), expected.of('ada')])).toEqual([TWENTY, TWENTY]);
  expect(await expected.of('ada')).toEqual(TWENTY);
  expect(await expected.of('grace')).toEqual(TWENTY);
  expect(asked).toEqual(['ada', 'grace']);
});

it('asks again once that holds no longer: a guest has an address now', async () => {
  const { expected } = aWorker(answered(5), answered(20));
  expected.heard(true);
  expect(await expected.of('ada')).toMatchObject({ balance: 5 });
  expected.forget();
  expect(await expected.of('ada')).toMatchObject({ balance: 20 });
});

it('knows of none where there are none, and nothing after no answer, a refusal or half an answer', async () => {
  const half = { kind: 'answered', body: { balance: 20 } } as unknown as Answer;
  const refused = { kind: 'signed_out' } as const;
  const { expected, asked } = aWorker(OFFLINE, refused, half, answered(0), answered(20));
  expected.heard(true);
  for (let attempt = 0; attempt < 3; attempt += 1) expect(await expected.of('ada')).toBeUndefined();
  expect(await expected.of('ada')).toBeNull();
  expect(await expected.of('ada')).toBeNull();
  expect(asked).toHaveLength(4);
});

it('holds nobody up for long, and knows the answer when it has come', async () => {
  vi.useFakeTimers();
  const late = Promise.withResolvers<Answer>();
  const { expected, asked } = aWorker(late.promise);
  expected.heard(true);
  const first = expected.of('ada');
  await vi.runAllTimersAsync();
  vi.useRealTimers();
  expect(await first).toBeUndefined();
  late.resolve(answered(20));
  expect(await expected.of('ada')).toEqual(TWENTY);
  expect(asked).toEqual(['ada']);
});

/** A writer for Ada, and the credits that pages see. */
async function aWriter() {
  const local = fakeStorage();
  const writer = createSnapshotWriter(local.area, () => 2_000);
  await writer.begin('ada');
  return { writer, credits: () => parseSnapshot(local.peek('entitlements'))?.credits };
}

it('stays in the snapshot while nothing newer is known, and goes when there are none', async () => {
  const { writer, credits } = await aWriter();
  const twenty = { ...TWENTY, expected: true } as const;
  await writer.record('ada', null, 2_000, twenty);
  expect(credits()).toEqual(TWENTY);
  await writer.record('ada', null, 2_000);
  await writer.record('ada', aRecordWithoutCredits(), 2_000, undefined);
  expect(credits()).toEqual(TWENTY);
  await writer.record('ada', aRecordWithoutCredits(), 2_000, null);
  expect(credits()).toBeNull();
});

it('gives way to what is on record, and to what a consume was answered, and does not come back from there', async () => {
  const { writer, credits } = await aWriter();
  const twenty = { ...TWENTY, expected: true } as const;
  await writer.record('ada', null, 2_000, twenty);
  await writer.balance({
    uid: 'ada',
    credits: { balance: 19, allowance: 19, packCredits: 0 },
    updatedAt: 1_500,
  });
  expect(credits()).toEqual({ balance: 19, allowance: 19, packCredits: 0, monthlyCredits: 0 });
  const record = { ...aRecordWithoutCredits(), updatedAt: 1_600 };
  await writer.record('ada', { ...record, creditsRemaining: 18, creditsAllowance: 18 }, 2_000);
  expect(credits()).toMatchObject({ balance: 18 });
  expect(credits()).not.toHaveProperty('expected');
  await writer.record('ada', { ...record, updatedAt: 1_700 }, 2_000);
  expect(credits()).toBeNull();
});

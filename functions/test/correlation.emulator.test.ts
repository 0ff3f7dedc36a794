import { expect, it } from 'vitest';
import { auth, firestore } from './app/emulated-user.ts';
import { keptLog, serveApp } from './app/serve-app.ts';
import { post } from './app/suite.ts';
import { packBought } from './factories/provider-events.ts';
import { aUser, deliver } from './fixtures/service.ts';

/** A user with credits, and their requests to a service whose log is kept. */
async function aSpender(credits: number) {
  const user = await aUser();
  await deliver(packBought({ uid: user.uid }, credits));
  const log = keptLog();
  const base = await serveApp({ auth, firestore, log });
  const authorization = `Bearer ${user.idToken}`;
  const ask = async (path: string, body: object, name: string, key = 'key-1') => {
    const headers = { authorization, 'idempotency-key': key, 'x-correlation-id': name };
    const answer = await post(`${base}${path}`, JSON.stringify(body), headers);
    return [answer.status, answer.headers.get('x-correlation-id')];
  };
  const names = async () => {
    const entries = [...(await user.ledger())].filter(([id]) => !id.startsWith('grant_'));
    return Object.fromEntries(entries.map(([id, { correlationId }]) => [id, correlationId]));
  };
  return { ask, names, log };
}

it('a spend is found by its name in the answer, in the log and in the ledger', async () => {
  const { ask, names, log } = await aSpender(1);
  expect(await ask('/credits/consume', { feature: 'demo' }, 'granted-1')).toEqual([200, 'granted-1']);
  expect(await ask('/credits/consume', { feature: 'demo' }, 'refused-1', 'key-2')).toEqual([
    402,
    'refused-1',
  ]);
  expect(log.lines.map((line) => [line.fields.outcome, log.nameOf(line)])).toEqual([
    ['granted', 'granted-1'],
    ['exhausted', 'refused-1'],
  ]);
  expect(await names()).toEqual({ 'consume_key-1': 'granted-1', 'consume_key-2': 'refused-1' });
});

it('a replay has a name of its own, and the entry keeps the name of the request that wrote it', async () => {
  const { ask, names, log } = await aSpender(9);
  await ask('/credits/consume', { feature: 'demo' }, 'first-time');
  expect(await ask('/credits/consume', { feature: 'demo' }, 'second-time')).toEqual([200, 'second-time']);
  expect(log.lines.map((line) => [line.fields.outcome, log.nameOf(line)])).toEqual([
    ['granted', 'first-time'],
    ['replayed', 'second-time'],
  ]);
  expect(await names()).toEqual({ 'consume_key-1': 'first-time' });
});

it('a reservation has the name of its reserve, and its end that of the request that ended it', async () => {
  const { ask, names } = await aSpender(9);
  await ask('/credits/reserve', { feature: 'demo' }, 'held-it-1', 'job-1');
  await ask('/credits/reserve', { feature: 'demo' }, 'held-it-2', 'job-2');
  await ask('/credits/confirm', { reservation: 'job-1' }, 'took-it-1');
  await ask('/credits/release', { reservation: 'job-2' }, 'let-it-go');
  expect(await names()).toEqual({
    'reserve_job-1': 'held-it-1',
    'reserve_job-2': 'held-it-2',
    'settle_job-1': 'took-it-1',
    'settle_job-2': 'let-it-go',
  });
});

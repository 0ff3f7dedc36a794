import { SCOPES } from '@extension-billing/contract/callers';
import { PLAN } from '@extension-billing/contract/test/catalog';
import fc from 'fast-check';
import { Firestore, Query } from 'firebase-admin/firestore';
import { expect, it, onTestFinished, vi } from 'vitest';
import { aConfig } from '../app/config.ts';
import { ACCOUNT, AUDIENCE, googleKeys } from '../app/google-account.ts';
import { packBought } from '../factories/provider-events.ts';
import { anyEvent, oddEvent, UID } from './any-event.ts';
import { runs } from './budget.ts';
import { oddText, oddValue } from './odd-values.ts';
import { type Answered, servedInMemory, wrongIn } from './served.ts';

/** Sent together, so that thousands of requests are quick and also meet each other. */
const TOGETHER = 40;
const USERS = 8;

const ROUTES = [
  '/billing/checkout',
  '/billing/portal',
  '/credits/consume',
  '/credits/reserve',
  '/credits/confirm',
  '/credits/release',
  '/account/delete',
] as const;
const VALID = { feature: 'demo', lookup_key: PLAN.monthly, reservation: 'job', expiresInSeconds: 60 };
const field = fc.oneof(fc.constantFrom(...Object.keys(VALID)), oddText);

/** Bodies of every kind: one good field, some odd ones, JSON that is no object, text that is no JSON, bytes. */
const body: fc.Arbitrary<string | Uint8Array> = fc.oneof(
  fc.constantFrom(...Object.entries(VALID)).map(([name, value]) => JSON.stringify({ [name]: value })),
  fc
    .dictionary(field, fc.oneof(oddValue, fc.constantFrom(...Object.values(VALID))))
    .map((body) => JSON.stringify(body)),
  oddValue.map((value) => JSON.stringify(value)),
  oddText,
  fc.uint8Array({ maxLength: 64 }),
  fc.constantFrom('{"__proto__":{"feature":"demo"}}', '{"feature":"demo","feature":7}', '['.repeat(16_000)),
);
/** What a header can carry at all; an HTTP client refuses the rest before it is sent. */
const header = fc
  .oneof(oddText, fc.uuid())
  .map((text) => text.replaceAll(/[^\x20-\x7E\xA0-\xFF]/g, '').trim());
const sent = fc.record({ path: fc.constantFrom(...ROUTES), body, key: header });
const together = <T>(one: fc.Arbitrary<T>) => fc.array(one, { minLength: TOGETHER, maxLength: TOGETHER });

it('no body and no idempotency key of a signed-in user meets a fault', async () => {
  const { post, deliver, log, database } = await servedInMemory();
  await deliver(JSON.stringify({ object: 'event', ...packBought({ uid: UID }, 1_000) }));
  await fc.assert(
    fc.asyncProperty(together(sent), async (requests) => {
      const answers = await Promise.all(
        requests.map(({ path, body, key }) => post(path, body, key === '' ? {} : { 'idempotency-key': key })),
      );
      expect(answers.map(wrongIn).filter((wrong) => wrong !== null)).toEqual([]);
    }),
    runs(20),
  );
  expect(log.lines.filter(({ severity }) => severity !== 'info')).toEqual([]);
  const written = [...database.documents.keys()].map((path) => path.split('/').slice(0, 2).join('/'));
  const others = written.filter((path) => path.startsWith('customers/') && path !== `customers/${UID}`);
  expect(others).toEqual([]);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  expect(
    (await post('/credits/consume', '{"feature":"demo"}', { 'idempotency-key': 'after-all' })).status,
  ).toBe(200);
}, 60_000);

it('no bearer and no name of a user meets a fault, and nobody acts for another one by chance', async () => {
  const serviceAccounts = new Map([[ACCOUNT, SCOPES]]);
  const { get, log, database } = await servedInMemory({
    config: aConfig({ serviceAccounts, serviceAudience: AUDIENCE }),
    googleKeys,
    trusted: { token: 'token-of-the-host', name: 'shop', scopes: SCOPES },
  });
  const base64 = (value: unknown) => Buffer.from(JSON.stringify(value) ?? '').toString('base64url');
  const claims = fc.record(
    {
      iss: fc.oneof(fc.constantFrom('https://accounts.google.com', 'accounts.google.com'), oddValue),
      aud: fc.oneof(fc.constant(AUDIENCE), oddValue),
      email: fc.oneof(fc.constant(ACCOUNT), oddValue),
      exp: fc.oneof(fc.constant(32_503_680_000), oddValue),
    },
    { requiredKeys: ['iss'] },
  );
  const jwt = fc
    .tuple(fc.oneof(fc.constant({ alg: 'RS256', kid: 'key-1' }), oddValue), claims, fc.base64String())
    .map(([head, body, signature]) => `${base64(head)}.${base64(body)}.${signature}`);
  const bearer = fc.oneof(
    jwt,
    fc.tuple(oddText, oddText).map(([id, secret]) => `ebk_${id}_${secret}`),
    fc.stringMatching(/^ebk_[a-z0-9]{12}_[\w-]{43}$/),
    fc.constantFrom('ebk_', 'ebk__', 'token-of-the-hos', '..', 'e30.e30.e30'),
  );
  const name = fc.oneof(oddText, fc.constantFrom('eve', '..', '__x__', 'a/b'));
  const clean = (text: string) => text.replaceAll(/[^\x20-\x7E\xA0-\xFF]/g, '').trim();
  await fc.assert(
    fc.asyncProperty(together(fc.tuple(bearer, name)), async (callers) => {
      const answers = await Promise.all(
        callers.map(([token, user]) =>
          get('/account', { authorization: `Bearer ${clean(token)}`, 'billing-user': clean(user) }),
        ),
      );
      expect(answers.map(wrongIn).filter((wrong) => wrong !== null)).toEqual([]);
      expect(answers.filter(({ status }) => status === 200)).toEqual([]);
    }),
    runs(5),
  );
  expect(log.lines.filter(({ severity }) => severity !== 'info')).toEqual([]);
  expect([...database.documents.keys()]).toEqual([]);
}, 60_000);

it('no query of a usage page meets a fault', async () => {
  // The client's own checks of a query, without a database behind it.
  const found = vi.spyOn(Query.prototype, 'get').mockResolvedValue({ docs: [] } as never);
  onTestFinished(() => found.mockRestore());
  const { get, log } = await servedInMemory({ firestore: new Firestore({ projectId: 'demo-fuzz' }) });
  const value = fc.oneof(
    oddText,
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    fc.tuple(fc.nat(), oddText).map(([at, id]) => Buffer.from(`${at}:${id}`).toString('base64url')),
    fc.constantFrom('500', '501', '0', '2026-02-30', '2026-11-21', '2026-11-21T24:00:00Z'),
  );
  const name = fc.oneof(fc.constantFrom('from', 'to', 'cursor', 'limit', 'from[]', '__proto__'), oddText);
  const query = fc.array(fc.tuple(name, value), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(together(query), async (queries) => {
      const answers = await Promise.all(
        queries.map((pairs) => get(`/credits/usage?${new URLSearchParams(pairs)}`)),
      );
      expect(answers.map(wrongIn).filter((wrong) => wrong !== null)).toEqual([]);
    }),
    runs(10),
  );
  expect(log.lines.filter(({ severity }) => severity !== 'info')).toEqual([]);
  expect(found).toHaveBeenCalled();
}, 60_000);

it.each(['__name__', '.', '..', 'a/b', 'x'.repeat(501), ''])(
  'a cursor that names the entry %j, which cannot be one, is refused before the database is asked',
  async (id) => {
    const { get } = await servedInMemory();
    const cursor = Buffer.from(`1:${id}`).toString('base64url');
    const { status, body } = await get(`/credits/usage?${new URLSearchParams({ cursor })}`);
    expect([status, JSON.parse(body).code]).toEqual([400, 'invalid_request']);
  },
);

it('no signed webhook body meets a fault: it is applied, known, ignored or refused', async () => {
  const { deliver, database } = await servedInMemory();
  const payload = fc.oneof(
    { weight: 4, arbitrary: fc.oneof(oddEvent, anyEvent).map((event) => ({ ...event, object: 'event' })) },
    {
      weight: 1,
      arbitrary: fc.dictionary(fc.oneof(fc.constantFrom('id', 'type', 'created', 'data'), oddText), oddValue),
    },
    { weight: 1, arbitrary: oddValue },
  );
  let number = 0;
  await fc.assert(
    // Users at once, each with a history of their own: one user's deliveries at once may be told to come again.
    fc.asyncProperty(together(payload), async (payloads) => {
      database.documents.clear();
      const history = async (user: number): Promise<readonly Answered[]> => {
        const answers: Answered[] = [];
        for (const event of payloads.filter((_, index) => index % USERS === user)) {
          number += 1;
          const isEvent = typeof event === 'object' && event !== null && 'object' in event;
          const body = JSON.stringify(isEvent ? { ...event, id: `evt_${number}` } : event);
          answers.push(await deliver(body.replaceAll(`"${UID}"`, `"${UID}-${user}"`)));
        }
        return answers;
      };
      const answers = await Promise.all(Array.from({ length: USERS }, (_, user) => history(user)));
      // Not even the same object with other content than before: its effect is recorded under another name.
      const wrong = answers.flat().map(wrongIn);
      expect(wrong.filter((each) => each !== null)).toEqual([]);
    }),
    runs(20),
  );
  expect([...database.documents.keys()].filter((path) => path.split('/').includes(''))).toEqual([]);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
}, 60_000);

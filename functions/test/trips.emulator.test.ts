import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { DEPLOYED_ENVIRONMENT } from './app/config.ts';
import { invoicePaid, newId, type PostedEvent, subscriptionEvent } from './factories/provider-events.ts';
import { startCoveredService, type Trip } from './fixtures/covered-service.ts';
import { startGoogle } from './fixtures/google.ts';
import { postWebhook, requestsTo, signatureOf } from './fixtures/service.ts';
import { withTrip } from './fixtures/trip-tables.ts';

const DOCUMENT = fileURLToPath(new URL('../../docs/architecture.md', import.meta.url));

/** So many files of functions/src a person has to read, at most, to know what such a request does. */
const MAX_FILES = { consume: 15, 'invoice.paid': 21 } as const;

/** The service as deployed, from its sources; only the database is the suite's. */
async function aService() {
  const folder = mkdtempSync(join(tmpdir(), 'billing-trips-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const google = await startGoogle(process.env.GCLOUD_PROJECT ?? '', join(folder, 'service-account.json'));
  const service = await startCoveredService({
    ...DEPLOYED_ENVIRONMENT,
    ...google.environment,
    FIRESTORE_EMULATOR_HOST: process.env.FIRESTORE_EMULATOR_HOST ?? '',
    METADATA_SERVER_DETECTION: 'none',
  });

  async function deliver(event: PostedEvent): Promise<void> {
    const payload = JSON.stringify({ object: 'event', ...event });
    const signature = signatureOf(payload, { secret: DEPLOYED_ENVIRONMENT.PAYMENT_WEBHOOK_SECRET });
    expect((await postWebhook(payload, signature, service.base)).body).toMatchObject({ outcome: 'applied' });
  }

  /** A subscriber whose first period is paid. */
  async function aSubscriber() {
    const plan = { uid: `trip-${randomUUID()}`, subscription: newId('sub') };
    await deliver(subscriptionEvent('created', plan));
    await deliver(invoicePaid(plan));
    const { consume } = requestsTo(service.base, google.idTokenOf(plan.uid));
    return {
      consume: async () => expect((await consume()).body).toMatchObject({ ok: true, replayed: false }),
      renew: (period: number) => deliver(invoicePaid(plan, { period })),
    };
  }

  return { ...service, aSubscriber };
}

/** A consume and a renewal of a service that has served such requests before, also of this user. */
async function measureTrips(): Promise<Readonly<Record<keyof typeof MAX_FILES, Trip>>> {
  const service = await aService();
  const user = await service.aSubscriber();
  await user.consume();
  await user.renew(1);
  await user.consume();
  const consume = await service.during(user.consume);
  const renewal = await service.during(() => user.renew(2));
  return { consume, 'invoice.paid': renewal };
}

it('a consume and an invoice.paid run through few files, which docs/architecture.md lists', async () => {
  const trips = Object.entries(await measureTrips());
  for (const [name, trip] of trips) {
    const files = [...trip].map(([file, functions]) => `${file}: ${functions.join(', ')}`);
    console.info(`${name} runs through ${trip.size} files:\n  ${files.join('\n  ')}`);
  }
  for (const [name, { size }] of trips) {
    expect.soft(size, `files of ${name}`).toBeLessThanOrEqual(MAX_FILES[name as keyof typeof MAX_FILES]);
  }
  const written = readFileSync(DOCUMENT, 'utf8');
  const measured = trips.reduce((document, [name, trip]) => withTrip(document, name, trip), written);
  // To write what was measured into the document: npx vitest run --project emulator functions/test/trips -u
  await expect(measured).toMatchFileSnapshot(DOCUMENT);
  expect(measured, 'a row says what its file does').not.toContain('|  |');
});

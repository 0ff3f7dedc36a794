import { spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Bench, startBench } from '../../packages/cli/src/stripe/test-simulator.ts';
import type { Exchange } from '../../packages/simulator/src/http/api.ts';
import { OF_A_TEST, Requests, withoutAllowed } from './replay-requests.ts';

let folder: string;
let bench: Bench;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'billing-traffic-'));
  bench = await startBench('seeded', join(folder, 'scripts.jsonl'));
});
afterEach(async () => {
  await bench.simulator.close();
  rmSync(folder, { recursive: true });
});

/** As on a machine without stripe-mock: a path that is no program. */
function check(): Promise<{ readonly status: number | null; readonly output: string }> {
  const script = fileURLToPath(new URL('../check-traffic.ts', import.meta.url));
  const child = spawn(process.execPath, [script, folder], { env: { ...process.env, STRIPE_MOCK: '/none' } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, output })));
}

it('counts what it held to the document, and says plainly what it did not run', async () => {
  const { id } = await bench.stripe.customers.create({ email: 'ada@example.test' });
  await bench.stripe.customers.retrieve(id);
  await bench.stripe.customers.retrieve('cus_nobody').catch(() => {});
  const { status, output } = await check();
  expect(output).toContain('3 responses, 1 events validated, 0 refused');
  expect(output).toContain('NOT RUN: requests through stripe-mock');
  expect(status).toBe(0);
});

it('fails on an answer and on an event that the document does not allow, and names both', async () => {
  const { id } = await bench.stripe.customers.create({});
  const customer = await bench.stripe.customers.retrieve(id);
  const wrong = { ...customer, email: 7, invented: true };
  const line = (value: object) => appendFileSync(join(folder, 'wrong.jsonl'), `${JSON.stringify(value)}\n`);
  const asked = { method: 'GET', path: `/v1/customers/${id}`, requestBody: '', version: null };
  line({ exchange: { ...asked, status: 200, responseBody: JSON.stringify(wrong) } });
  line({ exchange: { ...asked, status: 500, responseBody: '{"error": {"type": "oops", "message": "…"}}' } });
  const [event] = (await bench.stripe.events.list()).data;
  line({ event: { ...event, livemode: 'no' } });
  const { status, output } = await check();
  expect(output).toContain('customer must NOT have additional properties {"additionalProperty":"invented"}');
  expect(output).toContain('customer/email must be string');
  expect(output).toContain('error.type is oops');
  expect(output).toContain('event customer.created: event/livemode must be boolean');
  expect(status).toBe(1);
});

it('fails where nothing passed: a check of nothing shows nothing', async () => {
  const { status, output } = await check();
  expect(output).toContain('There is no traffic');
  expect(status).toBe(1);
});

it('allows the service only the parameters that the list names', () => {
  const asked = (path: string, requestBody: string) => ({
    sentBy: 'service' as const,
    method: 'POST',
    path,
    requestBody,
  });
  const known = withoutAllowed(asked('/v1/webhook_endpoints', 'url=https%3A%2F%2Fa.test&api_version=2026'));
  expect(known?.rest.requestBody).toBe('url=https%3A%2F%2Fa.test');
  expect(withoutAllowed(asked('/v1/webhook_endpoints', 'url=no'))).toBeUndefined();
  const anchor = asked('/v1/subscriptions/sub_1', 'billing_cycle_anchor%5Btype%5D=now');
  expect(withoutAllowed(anchor)).toBeUndefined();
  expect(withoutAllowed({ ...anchor, sentBy: 'simulator tests' })?.rest.requestBody).toBe('');
});

it('takes a request that a test marks as its own for none of the service’s', () => {
  const requests = new Requests();
  const asked = { method: 'POST', path: '/v1/subscriptions/sub_1', status: 200, responseBody: '{}' };
  requests.add('service', { ...asked, requestBody: `description=${OF_A_TEST}` } as Exchange);
  requests.add('service', { ...asked, requestBody: 'description=ours' } as Exchange);
  expect([...requests.distinct.values()].map(({ sentBy }) => sentBy)).toEqual(['simulator tests', 'service']);
});

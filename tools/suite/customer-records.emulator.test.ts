import { PLAN } from '@extension-billing/contract/test/catalog';
import { controlsOf } from '@extension-billing/simulator/control';
import { afterEach, expect, it } from 'vitest';
import { openCheckout, signUp } from '../../packages/cli/src/local/account.ts';
import { readAddresses } from '../../packages/cli/src/local/suite.ts';
import { readCustomerRecords } from './customer-records.ts';

const suite = readAddresses(process.env);
const documents = `http://${suite.firestoreEmulator}/v1/projects/${suite.project}/databases/(default)/documents`;
const simulator = controlsOf(suite.provider);

afterEach(async () => {
  await simulator.reset();
});

it('the simulator of a running suite shows the service’s record beside the customer', async () => {
  const session = await openCheckout(suite, await signUp(suite), PLAN.monthly);
  await simulator.pay(session);
  await simulator.delivered();
  const state = (await simulator.state()) as {
    readonly checkout_sessions: readonly { readonly id: string; readonly customer: string }[];
  };
  const customer = state.checkout_sessions.find(({ id }) => id === session)?.customer ?? '';
  expect((await simulator.records())[customer]).toMatchObject({
    customerId: customer,
    paid: true,
    plan: PLAN.monthly,
    currentPeriodEnd: expect.any(Number),
  });
});

it('reads every record, also where Firestore answers them in pages', async () => {
  const mark = `cus_page_${Date.now()}`;
  const write = async (number: number): Promise<void> => {
    const url = `${documents}/customers/${mark}_${number}`;
    const fields = { customerId: { stringValue: `${mark}_${number}` } };
    const response = await fetch(url, {
      method: 'PATCH',
      headers: { authorization: 'Bearer owner' },
      body: JSON.stringify({ fields }),
    });
    if (!response.ok) throw new Error(`Firestore answered ${response.status}.`);
  };
  await Promise.all([0, 1, 2].map(write));
  const read = await readCustomerRecords(documents, 2);
  expect(Object.keys(read).filter((id) => id.startsWith(mark))).toHaveLength(3);
});

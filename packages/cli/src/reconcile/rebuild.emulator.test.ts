import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PACK, PLAN } from '@extension-billing/contract/test/catalog';
import { expect, it } from 'vitest';
import { reconcileUser } from '../../../../functions/src/reconcile/all.ts';
import { auth, firestore } from '../../../../functions/test/app/emulated-user.ts';
import { aBuyer } from '../../../../functions/test/fixtures/buyer.ts';
import * as simulator from '../../../../functions/test/fixtures/simulator.ts';
import { connect } from '../support/connect.ts';
import { adoptCustomers } from './reconcile.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

async function reconcile(...args: string[]) {
  return promisify(execFile)(process.execPath, ['packages/cli/src/billing.ts', 'reconcile', ...args], {
    cwd: root,
  }).then(
    ({ stdout }) => ({ status: 0, out: stdout }),
    ({ code, stdout, stderr }) => ({ status: Number(code), out: `${stdout}${stderr}` }),
  );
}

it('makes a lost record again from what the provider knows, and what was spent is forgotten', async () => {
  const buyer = await aBuyer();
  await buyer.buy(PLAN.metered);
  await buyer.buy(PACK.small);
  await simulator.delivered();
  await simulator.refund((await buyer.charge()).paymentIntent, 100);
  await simulator.delivered();
  await buyer.consume('demo_deep');
  const { updatedAt: _, ...before } = (await buyer.record()) ?? {};
  const customer = await buyer.customer();

  await firestore.recursiveDelete(firestore.doc(`customers/${buyer.uid}`));
  await firestore.doc(`billing_facts/${buyer.uid}`).delete();
  await firestore.doc(`provider_customers/${customer}`).delete();
  await auth.setCustomUserClaims(buyer.uid, null);

  const dry = await reconcile(buyer.uid, '--rebuild');
  expect(dry).toMatchObject({ status: 1, out: expect.stringContaining('1 users have a customer') });
  expect(await buyer.record()).toBeUndefined();
  expect(await buyer.customer()).toBe('');

  const { deps } = await connect(undefined, process.env);
  expect(await adoptCustomers(deps, buyer.uid, true)).toEqual(new Set([buyer.uid]));
  expect(await reconcileUser(deps, buyer.uid, true)).toMatchObject({ left: [] });
  expect(await buyer.record()).toMatchObject({ ...before, creditsRemaining: 1_080, creditsAllowance: 1_000 });
  expect(await buyer.credits()).toEqual({ allowance: 1_000, packs: 80 });
  expect(await buyer.paidClaim()).toBe(true);
  expect(await adoptCustomers(deps, buyer.uid, true)).toEqual(new Set());
  expect(await reconcileUser(deps, buyer.uid, false)).toMatchObject({ differences: [] });
});

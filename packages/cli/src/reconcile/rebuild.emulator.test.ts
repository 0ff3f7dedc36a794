import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PACK, PLAN } from '@extension-billing/contract/test/catalog';
import { expect, it } from 'vitest';
import { grantByHand, revokeGrant } from '../../../../functions/src/events/grants.ts';
import { byGrant } from '../../../../functions/src/reconcile/by-account.ts';
import { reconcileUser } from '../../../../functions/src/reconcile/look.ts';
import type { Uid } from '../../../../functions/src/store/documents.ts';
import { auth, firestore, signUp } from '../../../../functions/test/app/emulated-user.ts';
import { aBuyer } from '../../../../functions/test/fixtures/buyer.ts';
import { passThrough } from '../../../../functions/test/fixtures/pass.ts';
import * as simulator from '../../../../functions/test/fixtures/simulator.ts';
import { connect } from '../support/connect.ts';
import { adoptCustomers } from './adopt.ts';

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
  expect(dry).toMatchObject({
    status: 1,
    out: expect.stringContaining('1 customers of users were not known'),
  });
  expect(await buyer.record()).toBeUndefined();
  expect(await buyer.customer()).toBe('');

  const { deps } = await connect(undefined, process.env);
  expect(await adoptCustomers(deps, buyer.uid, true)).toEqual({ unknown: 1 });
  expect(await reconcileUser(deps, buyer.uid, true)).toMatchObject({ left: [] });
  expect(await buyer.record()).toMatchObject({ ...before, creditsRemaining: 1_080, creditsAllowance: 1_000 });
  expect(await buyer.credits()).toEqual({ allowance: 1_000, packs: 80 });
  expect(await buyer.paidClaim()).toBe(true);
  expect(await adoptCustomers(deps, buyer.uid, true)).toEqual({ unknown: 0 });
  expect(await reconcileUser(deps, buyer.uid, false)).toMatchObject({ differences: [] });
});

const createUser = async () => ({ uid: (await signUp()).uid as Uid });
const LIMITS = { creditsPerDay: 1_000, grantsPerDay: 10 };

it('makes what was given by hand again from the audit records, and what was revoked stays revoked', async () => {
  const { deps } = await connect(undefined, process.env);
  const user = await createUser();
  const act = { actor: `person:${user.uid}`, reason: 'a test' };
  const asked = { ...act, credits: 0, ends: null, entitlement: null, until: null };
  const given = { ...asked, key: 'credits', credits: 70 };
  const ending = { ...asked, key: 'ending', credits: 30, ends: { inDays: 5 } };
  const plan = { ...asked, key: 'plan', entitlement: 'paid', until: Date.now() + 86_400_000 };
  for (const each of [given, ending, plan]) {
    expect(await grantByHand(deps, user.uid, each, LIMITS)).toMatchObject({ kind: 'done', replayed: false });
  }
  const slip = await grantByHand(deps, user.uid, { ...given, key: 'slip', credits: 500 }, LIMITS);
  const grant = slip.kind === 'done' ? slip.grant : '';
  expect(await revokeGrant(deps, user.uid, { ...act, grant })).toMatchObject({ kind: 'done' });
  const record = async () => (await firestore.doc(`customers/${user.uid}`).get()).data();
  const { updatedAt: _, ...before } = (await record()) ?? {};
  expect(before).toMatchObject({ paid: true, packCreditsRemaining: 100 });
  expect(await reconcileUser(deps, user.uid, true)).toMatchObject({ differences: [] });

  // The facts alone: what the record has is what the account is opened with.
  await firestore.doc(`billing_facts/${user.uid}`).delete();
  expect(await reconcileUser(deps, user.uid, true)).toMatchObject({ left: [] });
  expect(await record()).toMatchObject(before);

  await firestore.recursiveDelete(firestore.doc(`customers/${user.uid}`));
  await firestore.doc(`billing_facts/${user.uid}`).delete();
  await auth.setCustomUserClaims(user.uid, null);
  await passThrough(byGrant, deps);
  expect(await record()).toMatchObject(before);
  expect((await auth.getUser(user.uid)).customClaims).toMatchObject({ paid: true });
  expect(await reconcileUser(deps, user.uid, false)).toMatchObject({ differences: [] });
});

it("makes 60 grants of one actor at once from two instances, and none beyond the day's limits", async () => {
  const { deps } = await connect(undefined, process.env);
  const instances = [deps, { ...deps, firestore }];
  const users = await Promise.all(Array.from({ length: 64 }, () => createUser()));
  const asked = { actor: `person:${users[0]?.uid}`, reason: 'a test', key: 'one', credits: 10 };
  const terms = { ends: null, entitlement: null, until: null };
  const limits = { creditsPerDay: 10_000, grantsPerDay: 60 };
  const grantAll = () =>
    Promise.all(
      users.map(({ uid }, index) =>
        grantByHand(instances[index % 2] ?? deps, uid, { ...asked, ...terms }, limits),
      ),
    );
  const answers = await grantAll();
  const outcomes = answers.map((answer) => (answer.kind === 'refused' ? answer.code : answer.kind)).sort();
  expect(outcomes).toEqual([
    ...Array.from({ length: 60 }, () => 'done'),
    ...Array.from({ length: 4 }, () => 'grant_limit_reached'),
  ]);
  // Nothing is granted twice, and what was granted is no longer limited.
  const again = await grantAll();
  expect(again.map((answer) => answer.kind === 'done' && answer.replayed)).toEqual(
    answers.map(({ kind }) => kind === 'done'),
  );
});

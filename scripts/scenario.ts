import assert from 'node:assert/strict';
import { billingState } from '../functions/src/contract/billing-state.ts';
import { pricing } from '../functions/src/contract/pricing.ts';
import { readPaidClaim, signUp } from './scenario/account.ts';
import { readAddresses } from './scenario/addresses.ts';
import { readRecord } from './scenario/record.ts';
import { simulatorHands } from './scenario/simulator.ts';

/**
 * The lifecycle on a moving clock (specification, "States and transitions"): trial, active, cancel, canceled.
 * Prints the record at each step and fails at the first that is not what it must be.
 */
const suite = readAddresses(process.env);
const provider = simulatorHands(suite);
const account = await signUp(suite);

const checkout = await fetch(`${suite.billing}/billing/checkout`, {
  method: 'POST',
  headers: { authorization: `Bearer ${account.idToken}`, 'content-type': 'application/json' },
  body: JSON.stringify({ lookup_key: 'premium_metered_monthly' }),
});
assert.equal(checkout.status, 200, `checkout answered ${await checkout.clone().text()}`);
const { sessionId } = (await checkout.json()) as { sessionId: string };
const allowance = pricing.plans.find(
  ({ lookupKey }) => lookupKey === 'premium_metered_monthly',
)?.monthlyCredits;

await provider.payCheckout(sessionId);
const trial = await show('trial', { status: 'trialing', paid: true, creditsAllowance: allowance ?? null });

await provider.advanceDays(pricing.trialDays + 1);
await show('active', { status: 'active', paid: true, creditsAllowance: allowance ?? null });

await provider.cancelAtPeriodEnd(await provider.subscriptionOf(String(trial.customerId)));
await show('cancel_pending', { status: 'active', paid: true, cancelAtPeriodEnd: true });

await provider.advanceDays(32);
await show('free', { status: 'canceled', paid: false, creditsRemaining: 0, trialUsed: true });

console.log('The lifecycle held: trial, active, cancel, canceled.');

async function show(state: string, expected: Record<string, unknown>) {
  const record = await readRecord(suite, account.uid);
  assert(record !== null, `There is no record at the step "${state}".`);
  const claim = await readPaidClaim(suite, account.uid);
  console.log(`\n${state}  (claim paid: ${claim})`);
  console.table(record);
  for (const [field, value] of Object.entries(expected))
    assert.equal(record[field], value, `${state}: ${field}`);
  const { paid, plan, status, cancelAtPeriodEnd } = record;
  const shown = billingState({
    paid: paid === true,
    plan: plan === null ? null : String(plan),
    status: status === null ? null : String(status),
    cancelAtPeriodEnd: cancelAtPeriodEnd === true,
  });
  assert.equal(shown, state);
  assert.equal(claim, record.paid, `${state}: the claim follows the record`);
  return record;
}

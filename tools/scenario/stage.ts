import assert from 'node:assert/strict';
import { type BillingState, billingState } from '@extension-billing/contract/customer';
import { type Account, readPaidClaim, signUp } from '../../packages/cli/src/local/account.ts';
import type { SuiteAddresses } from '../../packages/cli/src/local/suite.ts';
import type { BuyerDriver, ProviderDriver } from './targets.ts';

type StoredRecord = Readonly<Record<string, RecordField>>;

/** One scenario: a name, and what a user does and must then see. */
export interface Scenario {
  readonly name: string;
  readonly what: string;
  play(stage: Stage): Promise<void>;
}

/** Where a scenario plays: a new user, the provider, and the record to look at. */
export class Stage {
  readonly suite: SuiteAddresses;
  readonly account: Account;
  readonly buyer: BuyerDriver;

  private constructor(suite: SuiteAddresses, account: Account, buyer: BuyerDriver) {
    this.suite = suite;
    this.account = account;
    this.buyer = buyer;
  }

  static async set(suite: SuiteAddresses, provider: ProviderDriver): Promise<Stage> {
    const account = await signUp(suite);
    return new Stage(suite, account, await provider.begin(account));
  }

  /**
   * Waits until the record is in this state with these values and the claim follows it, and prints it.
   *
   * @throws AssertionError with what differs when it does not come to be.
   */
  async show(state: BillingState, expected: Readonly<Record<string, unknown>>): Promise<void> {
    const { suite, account } = this;
    let record: StoredRecord | null = null;
    let claim: boolean | undefined;
    const check = (): void => {
      assert(record !== null, `There is no record at the step "${state}".`);
      const shown: Record<string, unknown> = { ...record };
      for (const [field, value] of Object.entries(expected))
        assert.equal(shown[field], value, `${state}: ${field}`);
      assert.equal(stateOf(record), state);
      assert.equal(claim, record.paid, `${state}: the claim follows the record`);
    };
    const holds = async (): Promise<boolean> => {
      record = await readRecord(suite, account.uid);
      // A user who never paid has no claim, which says the same as false.
      claim = (await readPaidClaim(suite, account.uid)) ?? false;
      try {
        check();
        return true;
      } catch {
        return false;
      }
    };
    const late = await this.buyer.deliverUntil(holds).catch((error: unknown) => error);
    console.log(`\n${state}  (claim paid: ${claim})`);
    console.table(sorted(record));
    check();
    if (late !== undefined) throw late;
  }
}

function stateOf({ paid, plan, planKind, status, cancelAtPeriodEnd }: StoredRecord): BillingState {
  return billingState({
    paid: paid === true,
    plan: typeof plan === 'string' ? plan : null,
    ...((planKind === 'lifetime' || planKind === 'subscription') && { planKind }),
    status: typeof status === 'string' ? status : null,
    cancelAtPeriodEnd: cancelAtPeriodEnd === true,
  });
}

function sorted(record: StoredRecord | null): StoredRecord | null {
  if (record === null) return null;
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => a.localeCompare(b)));
}

/** A field's value as Firestore's REST interface writes it. */
export type Field =
  | { stringValue: string }
  | { integerValue: string }
  | { booleanValue: boolean }
  | { timestampValue: string }
  | { nullValue: null };

type RecordField = string | number | boolean | null;

/** `customers/{uid}` read past the rules, as an administrator would; null while there is none. Times are ISO texts. */
async function readRecord(suite: SuiteAddresses, uid: string): Promise<Record<string, RecordField> | null> {
  const path = `v1/projects/${suite.project}/databases/(default)/documents/customers/${uid}`;
  const response = await fetch(`http://${suite.firestoreEmulator}/${path}`, {
    headers: { authorization: 'Bearer owner' },
  });
  if (response.status === 404) return null;
  if (!response.ok) throw new Error(`Firestore answered ${response.status} for customers/${uid}.`);
  const { fields = {} } = (await response.json()) as { fields?: Record<string, Field> };
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, plain(field)]));
}

export function plain(field: Field): RecordField {
  if ('integerValue' in field) return Number(field.integerValue);
  if ('stringValue' in field) return field.stringValue;
  if ('booleanValue' in field) return field.booleanValue;
  if ('timestampValue' in field) return field.timestampValue;
  return null;
}

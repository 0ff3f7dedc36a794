import { type AuditRecord, readAudit } from '@extension-billing/contract/audit';
import { DAY } from '@extension-billing/contract/time';
import type { DocumentData } from 'firebase-admin/firestore';
import type { Stripe } from 'stripe';
import type { AppDeps } from '../../src/deps.ts';
import { grantByHand, revokeGrant } from '../../src/events/grants.ts';
import type { Uid } from '../../src/store/documents.ts';
import type { Action } from './action.ts';
import { TIERS } from './catalog.ts';
import type { LotPool } from './pack-lots.ts';
import type { ProviderModel } from './provider-model.ts';
import type { Delivered } from './service.ts';
import type { Telling } from './truth.ts';

// What the owner gives and takes back by hand, among what the provider tells: in the history, by the service, and as the
// oracle knows it. Written from docs/decisions/grants-by-hand.md#a-fact-an-audit-record-and-a-daily-limit alone.

const NO_LIMITS = { creditsPerDay: 1e12, grantsPerDay: 1e12 };

/** Who acted is no part of the model; what was done is known by this. */
interface Act {
  readonly act: string;
  readonly uid: string;
  readonly credits?: number;
  readonly tier?: 'basic' | 'pro' | 'paid';
  readonly until?: number;
  /** Of a revocation: the act that it takes back. */
  readonly of?: string;
}

export function playByHand(
  provider: ProviderModel,
  action: Extract<Action, { do: 'grant' | 'revoke' }>,
): void {
  const act = provider.id('act');
  const { uid } = provider;
  if (action.do === 'grant') {
    const { credits, tier, days } = action;
    const until = tier === 'none' ? null : provider.now + days * DAY;
    const asked: Act = { act, uid, credits, ...(until !== null && { tier: tierOf(action), until }) };
    const grants = tier === 'none' || tier === 'paid' ? [] : TIERS[tier];
    provider.given.push(act);
    provider.report('billing.grant', asked, { tells: 'hand_granted', id: act, credits, until, grants });
    return;
  }
  const of = provider.given[action.of % Math.max(1, provider.given.length)];
  if (of === undefined) return;
  provider.given.splice(provider.given.indexOf(of), 1);
  provider.report('billing.revoke', { act, uid, of } satisfies Act, { tells: 'hand_revoked', id: of });
}

function tierOf({ tier }: Extract<Action, { do: 'grant' }>): 'basic' | 'pro' | 'paid' {
  return tier === 'none' ? 'paid' : tier;
}

/** Whether an arrival is an act of the owner's, and no event of the provider's. */
export function isByHand({ type }: Stripe.Event): boolean {
  return /^billing\.(?:grant|revoke)$/.test(type);
}

export function actOf(event: Stripe.Event): Act {
  return event.data.object as unknown as Act;
}

/** The audit record of an act, past the service. */
export function auditOf(
  documents: ReadonlyMap<string, { readonly data: DocumentData }>,
  act: string,
): AuditRecord | null {
  for (const [path, { data }] of documents) {
    if (path.startsWith('billing_audit/') && data.reason === act) return readAudit(data);
  }
  return null;
}

/** Carries an act out. What revokes a grant that is not there yet comes again. */
export async function carryOut(
  deps: AppDeps,
  uid: Uid,
  { act, credits = 0, tier, until, of }: Partial<Omit<Act, 'act'>> & Pick<Act, 'act'>,
  grantOf: (act: string) => string | null,
): Promise<Delivered> {
  const by = { actor: 'person:model', reason: act };
  const grant = of === undefined ? null : grantOf(of);
  if (of !== undefined && grant === null) return 'retry';
  const handled =
    grant === null
      ? await grantByHand(
          deps,
          uid,
          { ...by, key: act, credits, ends: null, entitlement: tier ?? null, until: until ?? null },
          NO_LIMITS,
        )
      : await revokeGrant(deps, uid, { ...by, grant });
  if (handled.kind === 'refused') throw new Error(`the model expects no ${handled.code}`);
  return handled.replayed ? 'duplicate' : 'applied';
}

type Hand = Extract<Telling, { tells: 'hand_granted' | 'hand_revoked' }>;

/** What stands of what was given. */
export class HandBook {
  readonly #plans = new Map<string, { readonly until: number; readonly grants: readonly string[] }>();
  readonly #revoked = new Set<string>();

  /** @param created in seconds, by the service's clock: it says which credits are spent first */
  tell(telling: Hand, created: number, lots: LotPool): void {
    const { id } = telling;
    if (telling.tells === 'hand_revoked') {
      this.#revoked.add(id);
      lots.revoked(id, created);
      return;
    }
    const { credits, until, grants } = telling;
    if (until !== null) this.#plans.set(id, { until, grants });
    if (credits === 0) return;
    const sale = { customer: '', kind: 'pack' as const, lookupKey: '', amount: 0, paidAt: 0, grants: [] };
    lots.paid({ id, credits, ...sale }, created);
  }

  held(): readonly { readonly until: number; readonly grants: readonly string[] }[] {
    return [...this.#plans].filter(([id]) => !this.#revoked.has(id)).map(([, plan]) => plan);
  }
}

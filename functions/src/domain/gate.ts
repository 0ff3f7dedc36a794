import type { GatePreset } from '@extension-billing/contract/pricing';

/** A gate that takes no credits. */
export type UnmeteredGate = Exclude<GatePreset, 'metered'>;
export type GateDecision = 'open' | 'plan_required';

/** Whether a feature behind such a gate may run (docs/decisions/0065-gates.md). */
export function decideGate(gate: UnmeteredGate, paid: boolean): GateDecision {
  switch (gate) {
    case 'none':
      return 'open';
    case 'paywall':
      return paid ? 'open' : 'plan_required';
    default:
      return gate satisfies never;
  }
}

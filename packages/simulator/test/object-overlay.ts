const text = { type: 'string' };
const maybeText = { anyOf: [text, { type: 'null' }] };
const maybeNumber = { anyOf: [{ type: 'integer' }, { type: 'null' }] };
const maybeMap = { anyOf: [{ type: 'object' }, { type: 'null' }] };

/**
 * What the SDK's types have on top of the document that the schemas are generated from (2026-08-26.dahlia):
 * fields that the document omits although Stripe answers them, and what API version 2026-10-28.endive added.
 * Schema name → field → its schema.
 */
export const OBJECT_OVERLAY: Record<string, Record<string, object>> = {
  // Omitted by the document.
  charge: { source: maybeMap },
  payment_intent: { source: maybeText, payment_record: maybeText },
  product: { type: text, tax_details: maybeMap },
  recurring: { trial_period_days: maybeNumber },
  subscription_item: { plan: { type: 'object' }, current_trial: maybeMap },
  // Newer than the document.
  'checkout.session': {
    allowed_payment_method_types: { anyOf: [{ type: 'array', items: text }, { type: 'null' }] },
  },
  dispute: { intended_submission_method: maybeText },
  dispute_evidence_details: { submission_method: text },
  payment_method_details_card: { electronic_commerce_indicator: maybeText },
  portal_features: { subscription_pause: { type: 'object' } },
  subscriptions_resource_trial_settings_end_behavior: { billing_cycle_anchor: maybeText },
};

/** What a customer's plan may be, as one word (specification, "States and transitions"). */
export const BILLING_STATES = ['free', 'trial', 'active', 'past_due', 'cancel_pending', 'lifetime'] as const;
export type BillingState = (typeof BILLING_STATES)[number];

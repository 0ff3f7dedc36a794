/**
 * The texts of a page's first frame, by their keys. Those of what comes later are in `english-of-….ts`, and come with what
 * shows them. `$1` to `$9` are filled in by the caller. A text that depends on a number
 * has one sentence for each plural category of its language (`Intl.PluralRules`), and `other` always.
 */
export const english = {
  /** The language of these texts, as a language tag: dates inside sentences follow it, and so do plurals. */
  language: 'en',
  loadFailedRetry: 'Try again',
  loadFailedTitle: 'Your account did not load',
  meterAllowance: '$1 of $2 monthly',
  meterAria: { one: '$1 credit left', other: '$1 credits left' },
  meterEmptyPacks: 'Top up to keep going.',
  meterEnds: 'Ends on $1',
  meterEndsPacksStay: 'Monthly credits end on $1, packs stay',
  meterLabel: 'Credit balance',
  meterNext: 'Fresh credits: $1',
  meterPacks: '$1 from packs',
  meterPacksEnd: '$1 from packs, until $2',
  meterPacksEndSome: '$1 from packs, $2 of them until $3',
  meterPacksStay: 'Never expires',
  meterResets: 'Resets on $1',
  meterTopUp: 'Top up',
  meterUnit: { one: 'credit left', other: 'credits left' },
  planAt: '$1 ($2)',
  planFree: 'Free plan',
  planLifetime: 'Lifetime',
  planMetered: 'Premium with credits',
  planPremium: 'Premium',
  statusActive: 'Active',
  statusEnding: 'Ending',
  statusLapsed: 'Not confirmed',
  statusLifetime: 'For good',
  statusOnHold: 'On hold',
  statusPastDue: 'Payment failed',
  statusPayAsYouGo: 'Pay as you go',
  statusTrial: 'Trial',
  statusTrialLeft: { one: 'Trial, $1 day left', other: 'Trial, $1 days left' },
  statusUnconfirmed: 'To be confirmed',
  usageOf: '$1 of $2',
} as const;

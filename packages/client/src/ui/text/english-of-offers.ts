/**
 * The texts of offers and their buttons. Whoever shows one brings them (`bringTexts`).
 */
export const englishOfOffers = {
  buyOpenAgain: 'Open again',
  buyOpenInTab: 'Checkout is open in a tab.',
  buyOpening: 'Opening checkout…',
  buyPack: 'Buy for $1',
  buyPlan: 'Choose plan',
  buyTrial: 'Start $1-day trial, then $2',
  packPerHundred: '$1 per 100, never expire',
  packPerHundredFor: {
    one: '$1 per 100, expire after $2 day',
    other: '$1 per 100, expire after $2 days',
  },
  planChangesLater: 'From $1 on. Until then you keep what you have.',
  planChangesNow: 'At once. The next page shows what you pay.',
  planChangesTrial: 'At once. Your trial goes on.',
  planChangesTrialEnds: 'Ends your trial. The next page shows what you pay.',
  planEnd: 'Your $1 plan then ends on $2, nothing renews after that.',
  planEndCredits: 'Its credits end with it, packs stay.',
  planEndNow: 'Your $1 plan then ends at once and is not charged again.',
  planEndSoon: 'Your $1 plan then ends with its period, nothing renews after that.',
  planEndTrial: 'Your trial then ends on $1 without a charge.',
  planEndTrialSoon: 'Your trial then ends without a charge.',
  planGoesOn: 'Your $1 plan has more than this. It goes on and renews until you cancel it.',
  priceSaving: 'Save $1%',
  priceUnconfirmed: 'You see the final price before you pay.',
} as const;

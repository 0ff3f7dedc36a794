/**
 * The texts of what most pages show, though not in their first frame: the account, what is sold. Whoever shows
 * one brings them (`bringTexts`).
 */
export const englishOfParts = {
  accountSignOut: 'Sign out',
  accountTitle: 'Account',
  accountGuest: 'Guest',
  accountKeep: 'Create account',
  accountNoEmail: 'Signed in without an email',
  costOnce: '$1 once',
  costPerMonth: '$1 per month',
  costPerYear: '$1 per year',
  guestWhere: 'What you buy stays in this browser until you create an account.',
  hostSilent: 'You could not be signed in. Trying again.',
  loadFailedWords: 'Check your connection, then try again. Nothing you bought is lost.',
  loading: 'Loading your account',
  offline: 'You are offline. Running features and buying need a connection.',
  offlineAsOf: 'You are offline. This is as of $1.',
  packName: '$1 credits',
  planAfterCurrent: 'First keep your plan, or pay what is open. Then change.',
  pointCancel: 'Cancel any time',
  pointCredits: '$1 credits every month',
  pointCreditsDay: '$1 credits every day',
  pointCreditsHours: { one: '$1 credits every $2 hour', other: '$1 credits every $2 hours' },
  pointCreditsWeek: '$1 credits every week',
  pointEverything: 'Every premium feature',
  pointPayOnce: 'Pay once, keep it for good',
  pointTopUp: 'Credit packs when you need them',
  refusedUpdated: 'The extension was updated. Reload this page.',
  storageSilent:
    'The browser’s storage does not answer, so nothing can be run or bought. Close the browser and open it again.',
  wallDismiss: 'Close',
} as const;

/**
 * The sentences of a plan's status. Whoever shows one brings them (`bringTexts`).
 */
export const englishOfStatus = {
  actionCancelOldPlan: 'Cancel the old plan',
  actionKeepPlan: 'Keep my plan',
  actionMendPayment: 'Update payment',
  statusChanges: 'Changes to $1 on $2.',
  statusConnectAgain:
    'The service has not been reached for too long. Connect to the internet: what you paid for is there again at once.',
  statusConnectBy:
    'The service has not been reached since. You keep access until $1; connect to the internet before then.',
  statusEnded: 'Your plan has ended.',
  statusEnds: 'You keep access until $1. Nothing more is charged.',
  statusEndsSoon: 'You keep access until the period ends. Nothing more is charged.',
  statusForGood: 'Yours for good. Nothing renews.',
  statusFree: 'Choose a plan or a credit pack to do more.',
  statusFreePlansOnly: 'Choose a plan to do more.',
  statusFreeTrial: {
    one: 'Try any subscription free for $1 day.',
    other: 'Try any subscription free for $1 days.',
  },
  statusFreeTrialOf: { one: 'Try $1 free for $2 day.', other: 'Try $1 free for $2 days.' },
  statusOldPlanBills:
    'Your $1 plan is being ended. Until that is done it may be charged again: if you still see this in an hour, cancel it yourself.',
  statusOldPlanEnds: 'Your $1 plan ends on $2, nothing renews after that.',
  statusOldPlanEndsSoon: 'Your $1 plan ends with its period, nothing renews after that.',
  statusOldPlanGoesOn: 'Your $1 plan has more. It goes on and renews until you cancel it.',
  statusPacksExpire: 'Buy credits when you need them.',
  statusPacksLater: 'Features take no credits until you buy some.',
  statusPacksOnly: 'Buy credits when you need them. They never expire.',
  statusPaused: 'Access is paused until the payment goes through.',
  statusPaymentFailed: 'Your last payment did not go through.',
  statusPeriodEnded: 'Your paid period ended on $1.',
  statusRenews: 'Renews on $1.',
  statusRenewsFor: 'Renews on $1 for $2.',
  statusStillEntitled: 'You still have full access. Update your payment method to keep it.',
  statusTrialCancel: 'Cancel before then and you pay nothing.',
  statusTrialEnded: 'Your trial ended on $1.',
  statusTrialEnds: 'Your plan starts on $1 for $2.',
  statusTrialEndsOn: 'Your plan starts on $1.',
  statusUndo: 'Changed your mind? Keep your plan in the billing portal.',
  statusWithheld:
    'Your plan gives no access at the moment: its payment is disputed, paused or not confirmed. See billing, or write to support.',
  statusYours: 'Yours for good.',
  statusPortal: 'Manage billing',
  actionKeepCurrent: 'Keep $1',
} as const;

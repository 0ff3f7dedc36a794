/**
 * The texts of what a feature takes. Whoever shows one brings them (`bringTexts`).
 */
export const englishOfFeatures = {
  featureCost: { one: '$1 credit', other: '$1 credits' },
  featureFree: 'No credits needed',
  featureIncluded: 'Part of your plan',
  featureNeedsNamed: 'Comes with $1',
  featureNeedsPlan: 'Comes with a plan',
  featureOff: { one: 'Needs $1 credit. Top up to run it.', other: 'Needs $1 credits. Top up to run it.' },
  featureNotSold: 'Not sold here',
  featureOpen: 'Always free',
  featureShort: { one: 'Needs $1 credit', other: 'Needs $1 credits' },
  featureSignIn: 'Sign in to run it',
  featureUnknown: 'Needs an update of the extension',
} as const;

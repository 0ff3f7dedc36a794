/** The provider's published test cards that the pages offer, and what each does (Stripe, "Test cards"). */
export const TEST_CARDS = [
  { number: '4242 4242 4242 4242', outcome: 'Succeeds' },
  { number: '4000 0000 0000 0002', outcome: 'Declined' },
  { number: '4000 0000 0000 9995', outcome: 'Insufficient funds' },
  { number: '4000 0025 0000 3155', outcome: 'Asks for 3-D Secure' },
  { number: '4000 0027 6000 3184', outcome: 'Asks at every charge' },
  { number: '4000 0000 0000 0341', outcome: 'Saves, then declined' },
  { number: '4000 0000 0000 0069', outcome: 'Expired' },
] as const;

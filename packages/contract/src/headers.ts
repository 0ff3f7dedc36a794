/** In a service's request: the uid of the user for whom it acts. */
export const USER_HEADER = 'Billing-User';

/**
 * What the client carries of its user's record: sealed by the service, opaque to everybody else, and sent back with the
 * next request of credits as it came.
 */
export const VERSION_HEADER = 'Billing-Version';

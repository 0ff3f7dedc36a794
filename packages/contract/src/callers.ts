/** Who may call a route (design, section 10): a user, the payment provider, or a backend of the owner's by its scope. */

/** What a backend may be let do, for any user. */
export const SCOPES = ['read', 'consume', 'hold', 'grant'] as const;
export type Scope = (typeof SCOPES)[number];

/**
 * - `user`: a Firebase ID token of the project;
 * - `provider`: the provider's signature over the body;
 * - `service:…`: a key of `billing keys`, or the ID token of a Google service account that is configured, which has the
 *   scope. It names the user for whom it acts in the header `Billing-User`.
 */
export type Caller = 'user' | 'provider' | `service:${Scope}`;

/** The scopes of which a service needs one; none where no service may call. */
export function scopesOf(callers: readonly Caller[]): readonly Scope[] {
  return SCOPES.filter((scope) => callers.includes(`service:${scope}`));
}

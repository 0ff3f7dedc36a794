import type { HostIdentity } from './host-identity.ts';

/** What the background part needs to know about its project. All of it is public; secrets have no place here. */
export interface BillingConfig {
  /** Base URL of the deployed function, without a slash at its end. */
  readonly apiBaseUrl: string;
  readonly firebase: { readonly projectId: string; readonly apiKey: string };
  /** `http://host:port`; leave out for a real project. */
  readonly authEmulatorUrl?: string;
  readonly firestoreEmulator?: { readonly host: string; readonly port: number };
  /** OAuth client id of the Google sign-in; without one it is refused. Needs the `identity` permission. */
  readonly googleClientId?: string;
  /** Another OpenID Connect authorization endpoint than Google's, for tests without a network. */
  readonly googleAuthorizeUrl?: string;
  /** Origin of the page that a checkout returns to; it may wake the worker (also list it in `externally_connectable`). */
  readonly returnOrigin?: string;
  /**
   * Page on your own site that the link of a sign-in mail leads to, such as `https://shop.web.app/billing/sign-in.html`;
   * without one the mail link is refused. At `returnOrigin` it hands the link to the extension by itself.
   */
  readonly signInLinkUrl?: string;
  /**
   * For an extension that has accounts already: it says who is signed in and returns their ID tokens, and billing's own
   * sign-in is off (docs/signing-in.md). Left out: billing's own accounts.
   */
  readonly identity?: HostIdentity;
  /**
   * A message of a type that is not billing's: `leave`, which is the default, leaves it unanswered to the extension's
   * own listeners. `refuse` answers an error, for an extension that has no messages itself. `leave_unmarked` is for one
   * that has messages of billing's names (docs/names.md): one sent with `runtime.sendMessage` whose name does not begin
   * with `billing` is left too, unless it has `billing: true`. `send` is not affected: it uses a port of its own.
   */
  readonly unknownMessages?: 'refuse' | 'leave' | 'leave_unmarked';
}

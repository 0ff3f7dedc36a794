import type { ToldFact } from './provider-view.ts';

/** One thing on which two books do not agree. */
export interface Difference {
  readonly kind:
    | 'customer'
    | 'subscription'
    | 'purchase'
    | 'dispute'
    | 'allowance'
    | 'record'
    | 'ledger'
    | 'claim';
  /** The provider's object id, or the record's field. */
  readonly about: string;
  /** What this service has, for a person to read. */
  readonly here: string;
  /** What it should be by the provider's word, or by the facts. */
  readonly should: string;
  readonly repair: Repair;
}

type Repair =
  /** Facts to commit, in this order. */
  | { readonly kind: 'facts'; readonly facts: readonly ToldFact[] }
  /** Record and ledger are derived again from the facts. */
  | { readonly kind: 'derive' }
  /** The provider is asked to end a subscription. */
  | { readonly kind: 'end'; readonly subscription: string }
  /** The claim is mirrored again. */
  | { readonly kind: 'mirror' }
  /** Nothing that this service may decide; a person has to look. */
  | { readonly kind: 'none'; readonly why: string };

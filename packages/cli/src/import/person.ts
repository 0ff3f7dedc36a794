import type { Millis } from '@extension-billing/contract/customer';
import type { Uid } from '../../../../functions/src/store/documents.ts';
import type { SourcePrice } from './mapping.ts';

/** Where `billing import` can take people over from. */
export const SOURCES = ['extensionpay', 'firestore-stripe-payments'] as const;
export type Source = (typeof SOURCES)[number];

/** Somebody whom the source knows. */
export interface Person {
  /** As the owner knows them: mail address, or uid. */
  readonly name: string;
  /** Null: whoever proves to have the mail address. */
  readonly uid: Uid | null;
  readonly mail: string | null;
  /** Stripe's customers that the source names. */
  readonly customers: readonly string[];
  /** Rights that the source's own data name. Those that Stripe knows are taken from Stripe. */
  readonly said: readonly SaidRight[];
  /** They had a trial there: they get none here. */
  readonly trialUsed: boolean;
  /** Fields of `customers/{uid}` that are the owner's own and that this service would write. */
  readonly taken: readonly string[];
}

/** A right as the source's own data say it. */
export interface SaidRight {
  /** For a person, and the same in every run: `subscription`, `free`. */
  readonly about: string;
  /** What it was sold as; a right that was given is a price of its own, with a name to map it by. */
  readonly price: SourcePrice;
  /** The Stripe object that it says it comes from; null where it names none. */
  readonly stripe: string | null;
  /** It is there whatever Stripe has; otherwise only for whom Stripe shows nothing that is in force. */
  readonly isBeside: boolean;
  /** When it ends there; null where it was given for good. */
  readonly until: Millis | null;
}

/** A person of whom nothing is known but this. */
export const NOBODY: Omit<Person, 'name'> = {
  uid: null,
  mail: null,
  customers: [],
  said: [],
  trialUsed: false,
  taken: [],
};

import type { Usage } from '../gateway/usage.ts';

/** Of `@extension-billing/server`, what a model call needs: over HTTP and in process it is the same. */
export interface Charging {
  /** The user of an ID token; null where it is not a valid one. */
  verifyUser(idToken: string): Promise<string | null>;
  /** Holds what so much usage would cost. */
  hold(
    uid: string,
    feature: string,
    options: {
      readonly units: Readonly<Record<string, number>>;
      readonly key: string;
      readonly expiresInSeconds: number;
    },
  ): Promise<Held | Refused>;
}

/** An expected no. */
export interface Refused {
  readonly ok: false;
  readonly reason: string;
  readonly detail: string;
  readonly balance?: number;
  readonly entitlement?: string;
  readonly retryAfterSeconds?: number;
}

export interface Held {
  readonly ok: true;
  readonly reservation: string;
  /** Credits held. */
  readonly cost: number;
  settle(measured: Measured): Promise<Settled | Refused>;
  release(): Promise<unknown>;
}

export type Measured = ({ readonly units: Usage } | { readonly amount: number }) & {
  readonly label?: string;
};

export interface Settled {
  readonly ok: true;
  /** Credits taken. */
  readonly cost: number;
  /** What can be spent now; null for an account that needs no credits. */
  readonly balance: number | null;
}

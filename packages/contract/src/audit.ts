import * as v from 'valibot';
import { encoderOf, Instant, type Output, optional, read } from './schema.ts';

/**
 * `billing_audit/{id}`: what somebody did by hand, who and why. No client reads it, it is written once and never goes:
 * with the facts lost, it says what was given (docs/decisions/grants-by-hand.md).
 */
const act = {
  /** `key:<id>`, `account:<mail>` or `process:<name>` of a backend; `person:<name>` of whoever ran the command. */
  actor: v.string(),
  reason: v.string(),
  /** For whom. */
  uid: v.string(),
  grant: v.string(),
  at: Instant,
};

const Granted = v.object({
  ...act,
  what: v.literal('grant'),
  /** 0: none. */
  credits: v.number(),
  /** When they end; absent where they are kept for good. */
  expiresAt: optional(Instant),
  /** With all that they include; `paid` alone for a plan without names. */
  entitlements: v.array(v.string()),
  until: optional(Instant),
  /** What was asked for, to know the same request again. */
  request: v.string(),
});
const Revoked = v.object({ ...act, what: v.literal('revoke') });

const Audit = v.variant('what', [Granted, Revoked]);
export type GrantAudit = Output<typeof Granted>;
export type RevokeAudit = Output<typeof Revoked>;
export type AuditRecord = GrantAudit | RevokeAudit;

/** Null where the document is no such record. */
export function readAudit(data: Readonly<Record<string, unknown>> | undefined): AuditRecord | null {
  return data === undefined ? null : read(Audit, data);
}

const encode = encoderOf(Audit);

/** A record as Firestore holds it. */
export function encodeAudit(record: AuditRecord, toStamp: (millis: number) => unknown) {
  return encode(record, toStamp);
}

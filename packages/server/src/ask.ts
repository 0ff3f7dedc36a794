import { USER_HEADER } from '@extension-billing/contract/headers';
import type { ErrorCode, Problem } from '@extension-billing/contract/problems';
import { BillingError } from './billing-error.ts';

// One question to the service, asked until it is answered or the time is over: always with the same idempotency key.

/** One attempt, as it goes out. */
export interface Outgoing {
  readonly method: 'GET' | 'POST';
  /** Relative to the service's address. */
  readonly path: `/${string}`;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal;
}

export interface Incoming {
  readonly status: number;
  header(name: string): string | null;
  readonly text: string;
}

/** How questions reach the service. It rejects where no answer came. */
export interface Door {
  send(outgoing: Outgoing): Promise<Incoming>;
  /** The bearer token, asked for once for each attempt. */
  bearer(): string | Promise<string>;
}

export interface Question {
  readonly method: 'GET' | 'POST';
  readonly path: `/${string}`;
  /** For whom it is asked. */
  readonly uid: string;
  /** Of what is done once for it. */
  readonly key?: string;
  readonly body?: object;
  /** Milliseconds for all attempts together. */
  readonly withinMs: number;
}

type Body = Readonly<Record<string, unknown>>;

/** `retryAfterSeconds` is of a 429: null otherwise. */
export type Reply =
  | { readonly ok: true; readonly body: Body }
  | {
      readonly ok: false;
      readonly problem: Problem & Body;
      readonly retryAfterSeconds: number | null;
    };

/**
 * Refusals that no user and no balance brings about: the caller or its configuration is wrong, or the service is. They
 * are thrown; every other refusal is a value.
 */
const FAULTS = [
  'invalid_request',
  'unknown_feature',
  'unknown_entitlement',
  'hold_required',
  'user_required',
  'idempotency_key_required',
  'unauthenticated',
  'caller_not_allowed',
  'not_found',
  'method_not_allowed',
  'payload_too_large',
  'request_timeout',
  'billing_disabled',
  'internal',
  'provider_unavailable',
  'temporarily_unavailable',
] as const;
export type Fault = (typeof FAULTS)[number];

/** Answers after which the very same request may be carried out; it is safe, since the service knows it by its key. */
const ASK_AGAIN: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);
/** One attempt that has not been answered by then is given up: its outcome is found by asking again. */
const ATTEMPT_MS = 10_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Asks until there is an answer that will stay: again after a lost connection, a 429 or a 5xx, after the `Retry-After`
 * that came with it, and never after a refusal.
 *
 * @throws BillingError where no answer came in time, for what is a fault, and for what cannot be sent
 */
export async function ask(door: Door, question: Question): Promise<Reply> {
  requireSendable(question);
  const course: Course = {
    correlationId: crypto.randomUUID(),
    deadline: Date.now() + question.withinMs,
    isOutcomeUnknown: false,
  };
  for (let attempt = 1; ; attempt += 1) {
    const tried = await attemptOf(door, question, course);
    const pause = tried.pauseMs === null ? null : Math.max(tried.pauseMs, pauseAfter(attempt));
    if (pause !== null && Date.now() + pause < course.deadline) {
      await new Promise((resolve) => setTimeout(resolve, pause));
      continue;
    }
    if (tried.reply === null) throw unreachable(tried.cause, attempt, course);
    return throwFault(tried.reply, course);
  }
}

/** One question, from its first attempt to its last. */
interface Course {
  readonly correlationId: string;
  readonly deadline: number;
  /** An attempt may have been carried out, and its answer was lost. */
  isOutcomeUnknown: boolean;
}

/** A header cannot carry everything, and what cannot be sent is not sent again and again. */
function requireSendable({ uid, key }: Question): void {
  if (!/^[!-.0-~]{1,128}$/.test(uid)) {
    throw new BillingError(
      'user_required',
      'The uid must be 1 to 128 ASCII characters, without spaces and "/".',
    );
  }
  if (key !== undefined && !/^[A-Za-z0-9_-]{1,128}$/.test(key)) {
    throw new BillingError('idempotency_key_required', 'A key must be 1 to 128 of A-Za-z0-9_-.');
  }
}

/** `pauseMs`: how long to wait at least before it is asked again; null where it is not to be. */
interface Tried {
  readonly reply: Reply | null;
  readonly pauseMs: number | null;
  readonly cause?: unknown;
}

async function attemptOf(door: Door, question: Question, course: Course): Promise<Tried> {
  const { correlationId, deadline } = course;
  const bearer = await bearerOf(door, course);
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), Math.max(1, Math.min(ATTEMPT_MS, deadline - Date.now())));
  let incoming: Incoming;
  try {
    incoming = await door.send(outgoingOf(question, bearer, correlationId, limit.signal));
  } catch (cause) {
    course.isOutcomeUnknown = true;
    return { reply: null, pauseMs: 0, cause };
  } finally {
    clearTimeout(timer);
  }
  if (incoming.status >= 500) course.isOutcomeUnknown = true;
  const reply = readReply(incoming);
  const isAskedAgain = ASK_AGAIN.has(incoming.status);
  const seconds = Number(incoming.header('Retry-After') ?? 0);
  const pauseMs = isAskedAgain ? (Number.isFinite(seconds) ? seconds * 1000 : 0) : null;
  if (reply !== null) return { reply, pauseMs };
  const cause = new BillingError(
    'unexpected_answer',
    `Status ${incoming.status} with a body that is not the service's: is "url" the address of the billing function?`,
    { status: incoming.status, ...aboutOf(course) },
  );
  if (!isAskedAgain) throw cause;
  return { reply: null, pauseMs, cause };
}

function aboutOf({ correlationId, isOutcomeUnknown }: Course) {
  return { correlationId, isOutcomeUnknown };
}

async function bearerOf(door: Door, course: Course): Promise<string> {
  try {
    return await door.bearer();
  } catch (cause) {
    throw new BillingError('not_configured', 'The function "idToken" that createBilling was given failed.', {
      cause,
      ...aboutOf(course),
    });
  }
}

function outgoingOf(
  { method, path, uid, key, body }: Question,
  bearer: string,
  correlationId: string,
  signal: AbortSignal,
): Outgoing {
  return {
    method,
    path,
    headers: {
      Authorization: `Bearer ${bearer}`,
      [USER_HEADER]: uid,
      'X-Correlation-Id': correlationId,
      ...(key !== undefined && { 'Idempotency-Key': key }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
    signal,
  };
}

/** Null where the service did not answer this. */
function readReply({ status, header, text }: Incoming): Reply | null {
  const body = parse(text);
  if (body === null) return null;
  if (status === 200) return { ok: true, body };
  if (typeof body.code !== 'string' || typeof body.detail !== 'string') return null;
  const retryAfter = status === 429 ? Number(header('Retry-After') ?? 1) : null;
  return { ok: false, problem: body as unknown as Problem & Body, retryAfterSeconds: retryAfter };
}

function parse(text: string): Body | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Body) : null;
  } catch {
    return null;
  }
}

/** Up to double the pause before, at random, so that those who were refused together do not come back together. */
function pauseAfter(attempt: number): number {
  const most = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1));
  return most / 2 + Math.random() * (most / 2);
}

function throwFault(reply: Reply, course: Course): Reply {
  if (reply.ok) return reply;
  const { code, status, title, detail } = reply.problem;
  // "Too many" says nothing of the attempt before; any other refusal is of this very key.
  const isNoWord = status === 429 && course.isOutcomeUnknown;
  if (!isFault(code) && !isNoWord) return reply;
  const advice = isFault(code) ? ADVICE[code] : undefined;
  const message = `${title}: ${detail}${advice === undefined ? '' : ` ${advice}`}`;
  throw new BillingError(code, message, { status, ...aboutOf(course) });
}

function isFault(code: ErrorCode): code is Extract<ErrorCode, Fault> {
  return (FAULTS as readonly string[]).includes(code);
}

/** What to do about it on this side, where the service's own words cannot say it. */
const ADVICE: { readonly [Code in Fault]?: string } = {
  unauthenticated:
    'Make a key with "npx billing keys create", or list the service account in the configuration.',
  caller_not_allowed: 'Make a key that has the scope: "npx billing keys create --scope …".',
  not_found: 'Is "url" the address of the billing function, and is that as new as this package?',
  unknown_entitlement: 'Publish it with "npx billing catalog push", or correct the name.',
  unknown_feature: 'Publish it with "npx billing catalog push", or correct the name.',
};

function unreachable(cause: unknown, attempts: number, course: Course): BillingError {
  const message = `The billing service gave no usable answer in ${attempts} attempt${attempts === 1 ? '' : 's'}; the same request with the same key is safe to send again.`;
  const status = cause instanceof BillingError && cause.status !== null ? { status: cause.status } : {};
  return new BillingError('unreachable', message, { cause, ...aboutOf(course), ...status });
}

import { AsyncResource } from 'node:async_hooks';

/** One structured line per call: an event of LOG_EVENTS with fields of it, which never hold secrets or tokens. */
export interface Logger {
  info<Event extends LogEventAt<'info'>>(event: Event, fields?: LogFields<Event>): void;
  warn<Event extends LogEventAt<'warn'>>(event: Event, fields?: LogFields<Event>): void;
  error<Event extends LogEventAt<'error'>>(event: Event, fields?: LogFields<Event>): void;
}

/** The log of the service, and of each request in it. */
export interface Log extends Logger {
  /** The same, with the id of a request in every line (http/gates.ts). */
  of(correlationId: string): Log;
}

/** One JSON object a line, in the form that Cloud Logging reads (`severity`, `message`). */
export const log: Log = loggerWith({});

/** @param always what each line carries beside its own fields */
function loggerWith(always: { readonly correlationId?: string }): Log {
  const write = (severity: string, event: string, fields: Readonly<Record<string, unknown>> = {}): void => {
    writeLine(`${JSON.stringify({ ...fields, ...always, severity, message: event, event })}\n`);
  };
  return {
    info: (event, fields) => write('INFO', event, fields),
    warn: (event, fields) => write('WARNING', event, fields),
    error: (event, fields) => write('ERROR', event, fields),
    of: (correlationId) => loggerWith({ correlationId }),
  };
}

/** Lines that are not written yet. */
let lines = '';
/**
 * Outside of every request. In one, the functions framework takes what is written for a single line, and puts several into
 * one text without fields, in which nobody would find an event.
 */
const flushOutside = AsyncResource.bind(flush);
process.once('exit', flushOutside);

/**
 * Writes what is logged in one turn of the event loop at once: a busy instance answers many requests in one, and each write
 * keeps the process until the system has taken it.
 */
function writeLine(line: string): void {
  if (lines === '') setImmediate(flushOutside);
  lines += line;
}

function flush(): void {
  if (lines === '') return;
  process.stdout.write(lines);
  lines = '';
}

type Severity = 'info' | 'warn' | 'error';

/**
 * Every line that the service logs: its name, its severities and the fields that it may carry. docs/operating.md says
 * what each means and what to do about it; a test holds the two together, and the compiler holds the code to this.
 *
 * No field holds a token, a key, a uid, a mail address or what a request said. A key's id is none: it opens nothing. Ids of the provider's events and
 * subscriptions are in them: they lead to its dashboard, and tell nothing without it.
 */
export const LOG_EVENTS = {
  // What came of a request: each has exactly one of these.
  consume: { severities: ['info'], fields: ['outcome', 'feature'] },
  reserve: { severities: ['info'], fields: ['outcome', 'feature'] },
  confirm: { severities: ['info'], fields: ['outcome'] },
  release: { severities: ['info'], fields: ['outcome'] },
  settle: { severities: ['info'], fields: ['outcome'] },
  balance_read: { severities: ['info'], fields: ['inUse'] },
  account_read: { severities: ['info'], fields: ['state'] },
  usage_read: { severities: ['info'], fields: ['entries'] },
  checkout_opened: { severities: ['info'], fields: ['kind', 'trial', 'shared'] },
  checkout_refused: { severities: ['info'], fields: ['code', 'kind'] },
  change: { severities: ['info'], fields: ['outcome'] },
  change_refused: { severities: ['info'], fields: ['code'] },
  prices_read: { severities: ['info', 'warn'], fields: ['sold', 'missing'] },
  portal_opened: { severities: ['info'], fields: [] },
  portal_refused: { severities: ['info'], fields: ['code'] },
  webhook: { severities: ['info'], fields: ['outcome', 'type', 'eventId', 'reason'] },
  webhook_refused: { severities: ['warn'], fields: ['reason'] },
  grant: { severities: ['info'], fields: ['outcome', 'grant'] },
  grant_revoked: { severities: ['info'], fields: ['outcome', 'grant'] },
  account_deleted: { severities: ['info'], fields: ['canceledSubscriptions'] },
  request_refused: { severities: ['info'], fields: ['method', 'route', 'code'] },
  service_key_refused: { severities: ['warn'], fields: ['key', 'reason'] },
  request_aborted: { severities: ['info'], fields: ['method', 'route'] },
  provider_failed: { severities: ['error'], fields: ['type', 'code', 'param', 'status', 'requestId'] },
  temporarily_unavailable: { severities: ['warn'], fields: ['path', 'error', 'code', 'at'] },
  store_unavailable: { severities: ['warn'], fields: ['path', 'error', 'code', 'at'] },
  newer_record: { severities: ['error'], fields: ['path', 'stored'] },
  internal_error: { severities: ['error'], fields: ['method', 'path', 'error', 'code', 'at'] },
  not_answered_in_time: { severities: ['error'], fields: ['method', 'path', 'withinMs'] },

  // On the way to one, or beside all of them.
  subscription_asked: { severities: ['info'], fields: ['subscription', 'known'] },
  sale_kept: { severities: ['info'], fields: ['subscription'] },
  subscription_ended: { severities: ['info'], fields: ['subscription', 'how'] },
  subscription_not_ended: { severities: ['error'], fields: ['subscription'] },
  free_ceiling_reached: { severities: ['error'], fields: ['day', 'ceiling'] },
  account_large: { severities: ['warn'], fields: ['bytes', 'eventId'] },
  claim_skipped: { severities: ['warn'], fields: ['reason'] },
  claim_too_large: { severities: ['warn'], fields: ['entitlements', 'paid'] },
  answer_interrupted: { severities: ['error'], fields: ['method', 'path', 'error', 'code', 'at'] },
  catalog_taken_up: { severities: ['info'], fields: ['version'] },
  catalog_refused: { severities: ['error'], fields: ['version', 'reason'] },
  catalog_not_read: { severities: ['warn'], fields: ['reason'] },
  catalog_gone: { severities: ['warn'], fields: [] },
  ending: { severities: ['info'], fields: ['open'] },
  ended_with_open_requests: { severities: ['warn'], fields: ['open'] },

  // Of the round over the ledgers.

  // Of the comparison with the provider.
  reconcile_summary: {
    severities: ['info', 'warn'],
    fields: [
      ...(['users', 'differing', 'repaired', 'failed', 'byKind', 'undelivered'] as const),
      ...(['seen', 'finished', 'behindHours'] as const),
    ],
  },
  reconcile_failed: { severities: ['error'], fields: ['error', 'code', 'at'] },
  reconciled: { severities: ['info'], fields: ['facts', 'differences'] },
  replay_failed: { severities: ['warn'], fields: ['eventId', 'type', 'reason'] },

  // Of what is added up for the report.
  days_summarized: { severities: ['info'], fields: ['days', 'accounts', 'finished'] },
} as const satisfies Readonly<
  Record<string, { readonly severities: readonly Severity[]; readonly fields: readonly string[] }>
>;

type LogEvents = typeof LOG_EVENTS;
export type LogEvent = keyof LogEvents;

/** The events that may be logged with a severity. */
type LogEventAt<S extends Severity> = {
  [E in LogEvent]: S extends LogEvents[E]['severities'][number] ? E : never;
}[LogEvent];

/** What may be said with an event. */
type LogFields<E extends LogEvent> = { readonly [F in LogEvents[E]['fields'][number]]?: unknown };

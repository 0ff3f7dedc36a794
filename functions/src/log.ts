import type { LogEventAt, LogFields } from './log-events.ts';

/** One structured line per call: an event of LOG_EVENTS with fields of it, which never hold secrets or tokens. */
export interface Logger {
  info<Event extends LogEventAt<'info'>>(event: Event, fields?: LogFields<Event>): void;
  warn<Event extends LogEventAt<'warn'>>(event: Event, fields?: LogFields<Event>): void;
  error<Event extends LogEventAt<'error'>>(event: Event, fields?: LogFields<Event>): void;
}

/** The log of the service, and of each request in it. */
export interface Log extends Logger {
  /** The same, with the id of a request in every line (http/correlate.ts). */
  of(correlationId: string): Log;
}

/** One JSON object a line, in the form that Cloud Logging reads (`severity`, `message`). */
export const log: Log = loggerWith({});

/** @param always what each line carries beside its own fields */
function loggerWith(always: { readonly correlationId?: string }): Log {
  const write = (severity: string, event: string, fields: Readonly<Record<string, unknown>> = {}): void => {
    process.stdout.write(`${JSON.stringify({ ...fields, ...always, severity, message: event, event })}\n`);
  };
  return {
    info: (event, fields) => write('INFO', event, fields),
    warn: (event, fields) => write('WARNING', event, fields),
    error: (event, fields) => write('ERROR', event, fields),
    of: (correlationId) => loggerWith({ correlationId }),
  };
}

import type { Log } from './deps.ts';

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

import type { Logger } from './deps.ts';

/** One JSON object a line, in the form that Cloud Logging reads (`severity`, `message`). */
export const log: Logger = {
  info: (event, fields) => write('INFO', event, fields),
  warn: (event, fields) => write('WARNING', event, fields),
  error: (event, fields) => write('ERROR', event, fields),
};

function write(severity: string, event: string, fields: Readonly<Record<string, unknown>> = {}): void {
  process.stdout.write(`${JSON.stringify({ ...fields, severity, message: event, event })}\n`);
}

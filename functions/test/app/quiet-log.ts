import type { Log } from '../../src/log.ts';

/** A log that nobody reads. */
export const quietLog: Log = { info() {}, warn() {}, error() {}, of: () => quietLog };

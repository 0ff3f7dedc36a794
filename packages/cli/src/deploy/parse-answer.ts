import type { Shell } from './carry-out.ts';

/** The JSON that a command printed, from its first brace on; null where it failed or printed none. */
export function parseAnswer({ status, stdout }: ReturnType<Shell['ask']>): object | null {
  if (status !== 0) return null;
  try {
    const value: unknown = JSON.parse(stdout.slice(stdout.indexOf('{')));
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

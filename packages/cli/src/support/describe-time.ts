/** Milliseconds since 1970 as a short UTC time; an unknown time as a dash. */
export function describeTime(millis: number): string {
  return millis === 0 ? '–' : `${new Date(millis).toISOString().slice(0, 16).replace('T', ' ')}Z`;
}

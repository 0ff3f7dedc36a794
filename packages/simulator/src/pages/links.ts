const RUNS_CODE = new Set(['javascript:', 'data:', 'vbscript:', 'blob:']);

/**
 * A link's target that cannot run code in this page: the URL itself, or `#` where it is malformed or carries a
 * script. Extension and application schemes pass, since a return address may be one.
 */
export function safeHref(url: string): string {
  if (!URL.canParse(url)) return '#';
  return RUNS_CODE.has(new URL(url).protocol) ? '#' : url;
}

/**
 * Gives a worker the `navigator.sendBeacon` that pages have and workers lack. Firestore's transport ends a session by
 * it, and without it by a GET, which the emulator takes for one more back channel and holds open; after six sign-outs
 * no connection is left to sign in with (docs/decisions/local-suite.md#firestore-sessions-end-by-post).
 */
export function beaconForWorkers(navigator: object, send: typeof fetch): void {
  if ('sendBeacon' in navigator) return;
  const sendBeacon = (url: string, body: string): boolean => {
    // As a beacon, nobody waits for its answer: a session that is not ended ends by itself.
    send(url, { method: 'POST', mode: 'no-cors', keepalive: true, body }).catch(() => {});
    return true;
  };
  Object.assign(navigator, { sendBeacon });
}

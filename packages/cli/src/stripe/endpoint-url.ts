/**
 * Checks the address that events are to be delivered to.
 *
 * @returns the address without a slash at its end.
 * @throws Error when the provider could not deliver there: Stripe wants https; the simulator takes http as well.
 */
export function checkEndpointUrl(text: string, isSimulator: boolean): string {
  const url = URL.parse(text);
  const takes = isSimulator ? ['https:', 'http:'] : ['https:'];
  if (url === null || !takes.includes(url.protocol)) {
    throw new Error(
      `--endpoint must be an ${isSimulator ? 'http or https' : 'https'} address, not "${text}".`,
    );
  }
  if (!url.pathname.replace(/\/$/, '').endsWith('/billing/webhook')) {
    throw new Error(
      `--endpoint must end with /billing/webhook, the service's own route; "${text}" does not.`,
    );
  }
  return text.replace(/\/$/, '');
}

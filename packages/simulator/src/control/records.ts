import type { ControlRoute } from './context.ts';
import { ControlError } from './json.ts';

/** A service that hangs must not hang the page. */
const WITHIN_MS = 5_000;

async function ask(url: string): Promise<unknown> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(WITHIN_MS) });
    if (!response.ok) throw new Error(`it answered ${response.status}`);
    return await response.json();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ControlError(502, `The service's records cannot be had from ${url}: ${why}.`);
  }
}

/** The service's own record of each customer, by customer id: asked of the service, never kept here. */
export const recordRoutes: ControlRoute[] = [
  {
    method: 'GET',
    path: '/records',
    handle: ({ recordsUrl }) => {
      if (recordsUrl === null)
        throw new ControlError(404, 'No service is known here: start the simulator with --records-url URL.');
      return ask(recordsUrl);
    },
  },
];

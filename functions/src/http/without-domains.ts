import domain, { type Domain } from 'node:domain';

/**
 * Lets the server that this function runs in (functions framework) run requests without `node:domain`.
 *
 * It makes a domain for every request, to answer what a stray callback throws. The first one turns on async hooks for
 * every promise of the process, for good, which more than doubled the processor time of a consume
 * (docs/decisions/0048-no-domains.md). It offers no option against that. Express answers what a route throws or
 * rejects with; what nobody catches ends the process, as in any other Node server.
 */
export function runWithoutDomains(): void {
  // Only what the framework calls: `create`, then `on` and `run`.
  const outside = {
    on: () => outside,
    run: (work: (...args: unknown[]) => unknown, ...args: unknown[]) => work(...args),
  };
  domain.create = () => outside as unknown as Domain;
}

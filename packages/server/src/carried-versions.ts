import { USER_HEADER, VERSION_HEADER } from '@extension-billing/contract/headers';
import type { Door } from './ask.ts';

/** Of users asked for lately. What is forgotten costs the service one look at its database. */
const MAX_USERS = 10_000;

/**
 * The same door, whose requests of credits carry what the last answer for their user brought: whichever instance of the
 * service gets them need not look at the record first. It is sealed, and nothing of it is known here.
 */
export function carryingVersions(door: Door): Door {
  const versions = new Map<string, string>();
  return {
    bearer: () => door.bearer(),
    async send(outgoing) {
      const uid = outgoing.headers[USER_HEADER];
      if (uid === undefined || !outgoing.path.startsWith('/credits/')) return door.send(outgoing);
      const carried = versions.get(uid);
      const headers = { ...outgoing.headers, ...(carried !== undefined && { [VERSION_HEADER]: carried }) };
      const incoming = await door.send({ ...outgoing, headers });
      const brought = incoming.header(VERSION_HEADER);
      if (brought !== null) keep(uid, brought);
      return incoming;
    },
  };

  function keep(uid: string, version: string): void {
    versions.delete(uid);
    versions.set(uid, version);
    const [oldest] = versions.keys();
    if (versions.size > MAX_USERS && oldest !== undefined) versions.delete(oldest);
  }
}

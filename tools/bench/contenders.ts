import type { Firestore } from 'firebase-admin/firestore';
import { asUid } from '../../functions/test/fixtures/as-uid.ts';
import { consumePlainly } from './floor.ts';
import type { Instance } from './instances.ts';
import { type Load, measure, type Sample } from './measure.ts';
import { cpuOf, ownCpu } from './process-usage.ts';
import { send } from './send.ts';
import { giveCredits } from './users.ts';
import { consume, pick, type Served } from './world.ts';

/** Consumes through HTTP, one user after the other; the processor's time is the function's process's. */
export function consumeOn({ url, pid, users }: Served, load: Load): () => Promise<Sample> {
  return () =>
    measure(
      load,
      (n) => consume(url, pick(users, n)),
      () => cpuOf(pid),
    );
}

/** The plain transaction in this process, on users of its own: written by both, every memory would be stale. */
export async function floorOn(
  firestore: Firestore,
  load: Load,
  users: number,
): Promise<() => Promise<Sample>> {
  await Promise.all(Array.from({ length: users }, (_, n) => giveCredits(firestore, asUid(`floor-${n}`))));
  return () => measure(load, (n) => consumePlainly(firestore, `floor-${n % users}`), ownCpu);
}

/** An Express app that parses a body and answers. */
export function helloOn({ url, pid }: Instance, load: Load): () => Promise<Sample> {
  const headers = { 'content-type': 'application/json' };
  return () =>
    measure(
      load,
      async () => {
        await send(`${url}/`, { method: 'POST', headers, body: '{"feature":"demo"}' });
      },
      () => cpuOf(pid),
    );
}

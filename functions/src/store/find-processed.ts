import type { Firestore } from 'firebase-admin/firestore';
import { paths } from './paths.ts';

const AT_ONCE = 200;

/** Which of these events have been applied already, by their markers. */
export async function findProcessed(
  firestore: Firestore,
  events: readonly string[],
): Promise<ReadonlySet<string>> {
  const processed = new Set<string>();
  for (let start = 0; start < events.length; start += AT_ONCE) {
    const ids = events.slice(start, start + AT_ONCE);
    const markers = await firestore.getAll(...ids.map((id) => paths.marker(firestore, id)));
    for (const marker of markers) if (marker.exists) processed.add(marker.id);
  }
  return processed;
}

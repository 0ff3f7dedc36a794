import { FieldPath, type Firestore, type Query, type QueryDocumentSnapshot } from 'firebase-admin/firestore';
import { parseUid, type Uid } from '../domain/uid.ts';
import { paths } from './paths.ts';

const PAGE = 300;

/**
 * Every user that has a record, and every one who has only a customer at the provider: whose checkout was opened
 * and nothing came of it, or all of whose events were lost. Each once; a page at a time, so any number of users
 * fits into memory.
 */
export async function* listUsers(firestore: Firestore): AsyncGenerator<Uid> {
  for await (const { id } of pages(firestore.collection('customers').select())) {
    const uid = parseUid(id);
    if (uid !== null) yield uid;
  }
  const seen = new Set<Uid>();
  for await (const owned of pages(firestore.collection('provider_customers'))) {
    const uid = parseUid(owned.get('uid'));
    if (uid === null || seen.has(uid)) continue;
    if ((await paths.customer(firestore, uid).get()).exists) continue;
    seen.add(uid);
    yield uid;
  }
}

async function* pages(query: Query): AsyncGenerator<QueryDocumentSnapshot> {
  const ordered = query.orderBy(FieldPath.documentId()).limit(PAGE);
  let page = ordered;
  for (;;) {
    const { docs } = await page.get();
    yield* docs;
    const last = docs.at(-1);
    if (last === undefined || docs.length < PAGE) return;
    page = ordered.startAfter(last);
  }
}

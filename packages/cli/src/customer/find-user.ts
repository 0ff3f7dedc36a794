import { parseUid, type Uid } from '../../../../functions/src/domain/uid.ts';
import { readStoredBooks } from '../../../../functions/src/store/read-books.ts';
import type { SupportDeps } from '../support/connect.ts';

/** Whom a command was asked about: somebody of whom something is known, or nobody, and what to try then. */
export type FoundUser =
  | { readonly kind: 'found'; readonly uid: Uid }
  | { readonly kind: 'nobody'; readonly why: string };

/** Finds a user by uid, or by the mail address of their sign-in, else by that of their customers at the provider. */
export async function findUser(deps: SupportDeps, who: string): Promise<FoundUser> {
  if (who.includes('@')) return findByMail(deps, who);
  const uid = parseUid(who);
  if (uid !== null && (await isKnown(deps, uid))) return { kind: 'found', uid };
  return {
    kind: 'nobody',
    why: `Nobody with the uid ${who}: no sign-in, no record, no facts. Check it, or give the mail address.`,
  };
}

async function findByMail(deps: SupportDeps, mail: string): Promise<FoundUser> {
  const signIn = parseUid(await uidOf(deps.auth.getUserByEmail(mail)));
  if (signIn !== null) return { kind: 'found', uid: signIn };
  const stripe = await deps.stripe();
  const { data } = await stripe.customers.list({ email: mail, limit: 10 });
  const uids = new Set(data.flatMap(({ metadata }) => parseUid(metadata.uid) ?? []));
  const [only, ...more] = uids;
  if (only !== undefined && more.length === 0) return { kind: 'found', uid: only };
  const why =
    uids.size > 1
      ? `No sign-in has the mail ${mail}, and several customers at the provider do: name one of ${[...uids].join(', ')}.`
      : `Nobody with the mail ${mail}: neither a sign-in nor a customer at the provider. Guests have none: ask for the uid.`;
  return { kind: 'nobody', why };
}

async function isKnown(deps: SupportDeps, uid: Uid): Promise<boolean> {
  if ((await uidOf(deps.auth.getUser(uid))) !== null) return true;
  const { record, stored } = await readStoredBooks(deps.firestore, uid);
  return record !== null || stored !== null;
}

/** @throws what went wrong, unless it is that there is no such user. */
function uidOf(asked: Promise<{ readonly uid: string }>): Promise<string | null> {
  return asked.then(
    ({ uid }) => uid,
    (error: unknown) => {
      if (error instanceof Error && 'code' in error && NOBODY.has(error.code)) return null;
      throw error;
    },
  );
}

const NOBODY: ReadonlySet<unknown> = new Set([
  'auth/user-not-found',
  'auth/invalid-email',
  'auth/invalid-uid',
]);

import type { Config } from '../config.ts';
import type { AppDeps } from '../deps.ts';
import { compareWithProvider } from '../domain/compare-provider.ts';
import { compareWithFacts, compareWithLedger } from '../domain/compare-record.ts';
import type { Difference } from '../domain/difference.ts';
import { openAccount } from '../domain/open-account.ts';
import type { ProviderView } from '../domain/provider-view.ts';
import type { Uid } from '../domain/uid.ts';
import { listProviderView } from '../provider/list-provider-view.ts';
import { readPaidClaim } from '../store/claims.ts';
import { readStoredBooks, type StoredBooks } from '../store/read-books.ts';

export type CheckDeps = Pick<AppDeps, 'firestore' | 'auth' | 'stripe' | 'now' | 'log'> & {
  readonly config: Pick<Config, 'project'>;
};

/** One user as the store and the provider have it, and where they do not agree. */
export interface CheckedUser {
  readonly uid: Uid;
  readonly books: StoredBooks;
  readonly view: ProviderView;
  /** The claim `paid`; null for a uid without an auth user. */
  readonly claim: boolean | null;
  readonly differences: readonly Difference[];
}

/**
 * Compares one user's facts with the provider's present state, the record with its facts, the ledger with the
 * record, and the claim with the record. Reads only.
 *
 * @param ticket taken before; 0 where nothing will be applied
 */
export async function checkUser(deps: CheckDeps, uid: Uid, ticket = 0): Promise<CheckedUser> {
  const books = await readStoredBooks(deps.firestore, uid);
  const view = await listProviderView(await deps.stripe(), uid, books.customers, deps.config.project);
  const claim = await readPaidClaim(deps, uid);
  const { record, ledger, stored } = books;
  const { facts } = stored ?? openAccount(record, ledger, 'check', 0).account;
  const differences = [
    ...compareWithProvider(facts, view, ticket),
    // Before the first event there is nothing that record and ledger could follow from.
    ...(stored === null
      ? []
      : [...compareWithFacts({ ...stored, record }, deps.now()), ...compareWithLedger(record, ledger)]),
    ...compareClaim(record?.paid ?? false, claim),
  ];
  return { uid, books, view, claim, differences };
}

function compareClaim(paid: boolean, claim: boolean | null): readonly Difference[] {
  if (claim === null || claim === paid) return [];
  const here = String(claim);
  return [{ kind: 'claim', about: 'paid', here, should: String(paid), repair: { kind: 'mirror' } }];
}

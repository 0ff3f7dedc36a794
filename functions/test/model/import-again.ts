import { forget } from '../../../packages/cli/src/import/forget.ts';
import type { AppDeps } from '../../src/deps.ts';
import { readFacts } from '../../src/events/apply.ts';
import { IMPORTED } from '../../src/events/facts.ts';
import { commitDerived } from '../../src/reconcile/user.ts';
import { paths, type Uid } from '../../src/store/documents.ts';

/**
 * Undoes an import of all that an account bought, and imports it again, as `billing import` does with the facts: the
 * account must be what it was, with what was spent.
 */
export async function importAgain(deps: AppDeps, uid: Uid): Promise<void> {
  const { firestore } = deps;
  const stored = readFacts(await paths.facts(firestore, uid).get());
  if (stored === null) return;
  const { subscriptions, grants, purchases } = stored.facts;
  const others = (ids: object) => Object.keys(ids).filter((id) => id !== IMPORTED);
  const brought = {
    subscriptions: new Set(others({ ...subscriptions, ...grants })),
    purchases: new Set(others(purchases)),
  };
  const now = deps.now();
  await commitDerived(deps, uid, `undo_${now}`, now, (facts) => forget(facts, brought));
  await commitDerived(deps, uid, `import_${now}`, now, ({ undone = [] }) => ({ ...stored.facts, undone }));
}

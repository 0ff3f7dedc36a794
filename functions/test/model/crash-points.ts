import type { Firestore, Transaction, WriteBatch } from 'firebase-admin/firestore';
import type { AppDeps } from '../../src/deps.ts';

/** Told where a handler is; it may end the process or throw, and nothing after it happens then. */
export type Reach = (point: string) => Promise<void>;

/** The call is on its way and the handler waits for it: the one moment at which nobody knows what is written. */
export const UNDER_WAY = 'commit under way';

/** Comes right before it. */
export const BEFORE_COMMIT = 'before commit';

type Parts = Pick<AppDeps, 'firestore' | 'auth' | 'stripe'>;

/** The same parts, with a point before and after every call that leaves the process. */
export function withCrashPoints({ firestore, auth, stripe }: Parts, reach: Reach): Parts {
  const around = async <Result>(name: string, run: () => Promise<Result>): Promise<Result> => {
    await reach(`before ${name}`);
    const result = await run();
    await reach(`after ${name}`);
    return result;
  };
  return {
    firestore: over(firestore, {
      getAll: (...refs: Parameters<Firestore['getAll']>) => around('read', () => firestore.getAll(...refs)),
      batch: () => withCommitPoints(firestore.batch(), reach),
      runTransaction: (run: (transaction: Transaction) => Promise<unknown>) =>
        around('transaction', () =>
          firestore.runTransaction(async (transaction) => {
            const result = await run(withReadPoints(transaction, reach));
            await reach(BEFORE_COMMIT);
            await reach(UNDER_WAY);
            return result;
          }),
        ),
    }),
    auth: over(auth, {
      getUser: (uid: string) => around('reading the claims', () => auth.getUser(uid)),
      setCustomUserClaims: (uid: string, claims: object) =>
        around('setting the claim', () => auth.setCustomUserClaims(uid, claims)),
    }),
    stripe: async () => {
      const client = await stripe();
      const subscriptions = over(client.subscriptions, {
        retrieve: (id: string) => around('asking the provider', () => client.subscriptions.retrieve(id)),
      });
      return over(client, { subscriptions });
    },
  };
}

function withReadPoints(transaction: Transaction, reach: Reach): Transaction {
  return over(transaction, {
    getAll: async (...refs: Parameters<Transaction['getAll']>) => {
      const snapshots = await transaction.getAll(...refs);
      await reach('after transaction read');
      return snapshots;
    },
  });
}

function withCommitPoints(batch: WriteBatch, reach: Reach): WriteBatch {
  return over(batch, {
    commit: async () => {
      await reach(BEFORE_COMMIT);
      const committing = batch.commit();
      // Where this step fails, nobody waits for what comes of the call: it may be refused, after a second one.
      committing.catch(() => {});
      await reach(UNDER_WAY);
      const result = await committing;
      await reach('after commit');
      return result;
    },
  });
}

/** The thing itself, with some of its members replaced; its methods still run on the thing. */
function over<Thing extends object>(thing: Thing, members: object): Thing {
  return new Proxy(thing, {
    get(target, name) {
      if (Object.hasOwn(members, name)) return Reflect.get(members, name);
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

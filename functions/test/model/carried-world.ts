import type { Firestore } from 'firebase-admin/firestore';
import { commitCredits, knownVersion } from '../../src/credits/commit.ts';
import { versionSeal } from '../../src/credits/versions.ts';
import { parseUid, type Uid } from '../../src/store/documents.ts';
import { MemoryFirestore } from './memory-firestore.ts';

// Users whose requests go to any of several instances, and carry whatever version their clients please.

/** What a request carries: what the last answer brought, what an earlier one did, another user's, a changed one, none. */
export type Carries = 'newest' | 'old' | 'others' | 'changed' | 'none';

export interface Step {
  readonly user: number;
  readonly instance: number;
  readonly cost: number;
  readonly carries: Carries;
  /** Which of several: the older one, the other user, the bit. */
  readonly pick: number;
}

/** Requests that are under way together; before them time passes, and credits are bought. */
export interface Wave {
  readonly passes: number;
  readonly topUps: readonly { readonly user: number; readonly credits: number }[];
  readonly steps: readonly Step[];
}

const USERS = ['ada', 'bob', 'eve'] as const;
/** Instances whose clocks do not agree, and one that has the next secret already: what one seals comes to each. */
const INSTANCES = [
  { aheadBy: 0, secret: 'whsec_of_the_model' },
  { aheadBy: 90_000, secret: 'whsec_of_the_model' },
  { aheadBy: -700_000, secret: 'whsec_of_the_model' },
  { aheadBy: 0, secret: 'whsec_of_tomorrow' },
] as const;
const START = Date.UTC(2026, 10, 22);
const FIRST_CREDITS = 30;

/** What went wrong when these waves were played; null where every balance is what was bought less what was granted. */
export async function playCarried(waves: readonly Wave[]): Promise<string | null> {
  const database = new MemoryFirestore();
  const instances = INSTANCES.map(({ aheadBy, secret }) => ({
    ...{ aheadBy, firestore: database.connect() },
    ...versionSeal(secret),
  }));
  const carried = new Map<string, string[]>(USERS.map((name) => [name, []]));
  const truth = new Map<string, number>(USERS.map((name) => [name, FIRST_CREDITS]));
  let now = START;
  let keys = 0;

  await createTogether(database.connect());

  for (const [at, { passes, topUps, steps }] of waves.entries()) {
    now += passes;
    for (const { user, credits } of topUps) {
      const name = USERS[user % USERS.length] ?? USERS[0];
      const owned = (truth.get(name) ?? 0) + credits;
      truth.set(name, owned);
      const fields = { creditsRemaining: owned, packCreditsRemaining: owned };
      await database.connect().doc(`customers/${name}`).update(fields);
    }
    const before = new Map(truth);
    const asked = new Map<string, number>();
    const kinds = await Promise.all(
      steps.map(async (step) => {
        const name = USERS[step.user % USERS.length] ?? USERS[0];
        asked.set(name, (asked.get(name) ?? 0) + step.cost);
        const instance = instances[step.instance % instances.length];
        if (instance === undefined) throw new Error('an instance');
        const { firestore, seal, open } = instance;
        const uid = uidOf(name);
        const sent = versionSentBy(step, name);
        const itsNow = now + instance.aheadBy;
        const known = sent === null ? null : open(uid, sent, itsNow);
        keys += 1;
        const command = { kind: 'consume', key: `k${keys}`, feature: 'f', cost: step.cost } as const;
        const { kind } = await commitCredits(firestore, uid, command, itsNow, null, known);
        const next = knownVersion(firestore, uid, itsNow);
        const sealed = next && seal(uid, next, itsNow);
        if (sealed !== null) carried.get(name)?.push(sealed);
        return { name, kind, cost: step.cost };
      }),
    );
    for (const { name, kind, cost } of kinds) {
      if (kind === 'granted') truth.set(name, (truth.get(name) ?? 0) - cost);
      const isAffordable = (asked.get(name) ?? 0) <= (before.get(name) ?? 0);
      if (kind !== 'granted' && isAffordable) return `wave ${at}: ${name} was refused (${kind})`;
    }
    for (const name of USERS) {
      const stored = database.documents.get(`customers/${name}`)?.data.creditsRemaining;
      if (stored !== truth.get(name)) return `wave ${at}: ${name} has ${stored}, not ${truth.get(name)}`;
    }
  }
  const entries = [...database.documents.values()].filter(({ data }) => data.outcome === 'granted');
  const spent = entries.reduce((sum, { data }) => sum + Number(data.cost), 0);
  const left = [...truth.values()].reduce((sum, credits) => sum + credits, 0);
  const bought = waves.flatMap(({ topUps }) => topUps).reduce((sum, { credits }) => sum + credits, 0);
  const first = USERS.length * FIRST_CREDITS;
  return spent + left === first + bought ? null : `the ledgers say that ${spent} was spent`;

  function versionSentBy({ carries, pick }: Step, name: string): string | null {
    const own = carried.get(name) ?? [];
    const newest = own.at(-1) ?? null;
    switch (carries) {
      case 'newest':
        return newest;
      case 'old':
        return own[pick % Math.max(1, own.length)] ?? null;
      case 'others': {
        const other = USERS.filter((each) => each !== name)[pick % 2] ?? name;
        return carried.get(other)?.at(-1) ?? null;
      }
      case 'changed':
        return newest === null ? null : withOneBitChanged(newest, pick);
      case 'none':
        return null;
      default:
        return carries satisfies never;
    }
  }
}

/** All in one commit, as of people who bought at the same moment: their records have one version. */
async function createTogether(firestore: Firestore): Promise<void> {
  const batch = firestore.batch();
  for (const name of USERS) {
    batch.create(firestore.doc(`customers/${name}`), {
      creditsRemaining: FIRST_CREDITS,
      creditsAllowance: 0,
      packCreditsRemaining: FIRST_CREDITS,
    });
  }
  await batch.commit();
}

function withOneBitChanged(sealed: string, pick: number): string {
  const bytes = Buffer.from(sealed, 'base64url');
  const at = pick % bytes.length;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes.toString('base64url');
}

function uidOf(name: string): Uid {
  const uid = parseUid(name);
  if (uid === null) throw new Error(`${name} is no uid`);
  return uid;
}

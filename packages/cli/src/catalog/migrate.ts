import { type Catalog, hasTiers, offerOf, type PlanOffer } from '@extension-billing/contract/catalog';
import { termsOfOffer } from '@extension-billing/contract/sold-terms';
import type { Stripe } from 'stripe';
import { readStoredAccount } from '../../../../functions/src/events/apply.ts';
import { parseUid, type Uid } from '../../../../functions/src/store/documents.ts';
import { isOfOtherProject, readMetadata, writeMetadata } from '../../../../functions/src/stripe/fields.ts';
import { catalog as file } from '../local/catalog.ts';
import { connect, type SupportDeps } from '../support/connect.ts';
import { formatTable } from '../support/describe.ts';
import { eachBuyer } from './buyers.ts';
import { readInForce, readVersion } from './publish.ts';

/** What a subscription's metadata says of what was sold, beside whose it is and for which price. */
const SOLD = [
  'monthly_credits',
  'credits_every',
  'credits_rollover',
  'credits_limits',
  'entitlements',
] as const;
type Sold = Readonly<Record<(typeof SOLD)[number], string>>;

/** What a catalogue sells under a plan's key; '' where it sells nothing of the kind. */
export function soldBy(catalog: Catalog, plan: PlanOffer): Sold {
  const written = writeMetadata({
    ...{ uid: '', kind: 'subscription', lookupKey: plan.lookupKey, priceId: '', credits: 0 },
    monthlyCredits: plan.credits?.amount ?? 0,
    ...termsOfOffer(plan),
    ...(hasTiers(catalog) && { entitlements: plan.grants }),
  });
  return soldIn(written);
}

function soldIn(metadata: Stripe.Metadata): Sold {
  return Object.fromEntries(SOLD.map((key) => [key, metadata[key] ?? ''])) as Sold;
}

interface Move {
  readonly uid: Uid;
  readonly subscription: string;
  /** The metadata to write; an empty text removes a key (Stripe). */
  readonly metadata: Readonly<Record<string, string>>;
  readonly says: string;
}

interface Migration {
  readonly plan: string;
  readonly to: Sold;
  /** Only those to whom this was sold; null for whoever has something else than `to`. */
  readonly from: Sold | null;
  readonly apply: boolean;
}

/**
 * Moves subscribers of a plan to what another version sells under its key: their subscription's own metadata is changed
 * at the provider, whose event brings it here, and which later events and reconcile go by. Credits change with the
 * next period that is paid for, entitlements at once, the price never. A second run finds nothing to do.
 *
 * @returns whom it moved, or would
 */
export async function migratePlan(
  deps: Pick<SupportDeps, 'firestore' | 'stripe' | 'now'> & {
    readonly config: Pick<SupportDeps['config'], 'project'>;
  },
  { plan, to, from, apply }: Migration,
): Promise<readonly Move[]> {
  const stripe = await deps.stripe();
  const moves: Move[] = [];
  for await (const buyer of eachBuyer(deps.firestore, deps.now())) {
    if (buyer.plan !== plan) continue;
    const { customers } = await readStoredAccount(deps.firestore, buyer.uid);
    for (const customer of customers) {
      for await (const each of stripe.subscriptions.list({ customer, limit: 100 })) {
        if (!isTheirs(each, buyer.uid, plan, deps.config.project)) continue;
        const now = soldIn(each.metadata);
        const changed = SOLD.filter((key) => now[key] !== to[key]);
        const isMeant = from === null || SOLD.every((key) => now[key] === from[key]);
        if (changed.length === 0 || !isMeant) continue;
        const metadata = Object.fromEntries(changed.map((key) => [key, to[key]]));
        if (apply) await stripe.subscriptions.update(each.id, { metadata });
        const says = changed.map((key) => `${key} ${now[key] || '–'} → ${to[key] || '–'}`).join(', ');
        moves.push({ uid: buyer.uid, subscription: each.id, metadata, says });
      }
    }
  }
  return moves;
}

/** Sold to this user under this key, by this project, and still for the price that its metadata is about. */
function isTheirs(each: Stripe.Subscription, uid: Uid, plan: string, project: string | null): boolean {
  const { uid: named, lookupKey, priceId } = readMetadata(each.metadata);
  if ((parseUid(named) ?? uid) !== uid || lookupKey !== plan || isOfOtherProject(each, project)) return false;
  return each.items.data.some(({ price }) => price.id === priceId);
}

/** `billing catalog migrate` */
export async function migrate(options: {
  readonly plan: string;
  readonly from: number | null;
  readonly to: number | null;
  readonly apply: boolean;
  readonly project: string | undefined;
}): Promise<number> {
  const { plan, from, to, apply, project } = options;
  const { name, deps } = await connect(project, process.env);
  console.log(`${name}\n`);
  const { published } = await readInForce(deps.firestore);
  const soldIn = async (version: number | null): Promise<Sold | string> => {
    const found =
      version === null ? (published?.catalog ?? file) : (await readVersion(deps.firestore, version))?.catalog;
    if (found === undefined) return `There is no version ${version}.`;
    const offer = offerOf(found, plan);
    if (offer?.kind !== 'subscription') return `${plan} is no plan by the period there: nothing to move to.`;
    return soldBy(found, offer);
  };
  const wanted = await soldIn(to);
  const before = from === null ? null : await soldIn(from);
  for (const each of [wanted, before]) {
    if (typeof each !== 'string') continue;
    console.log(each);
    return 1;
  }
  const migration = { plan, to: wanted as Sold, from: before as Sold | null, apply };
  const moves = await migratePlan(deps, migration);
  if (moves.length > 0) {
    const rows = moves.map(({ uid, subscription, says }) => [uid, subscription, says]);
    console.log(`${formatTable(['user', 'subscription', 'what'], rows)}\n`);
  }
  const many = moves.length === 1 ? '1 subscription' : `${moves.length} subscriptions`;
  if (apply) console.log(`${many} moved. Their prices stay.`);
  else console.log(`${many} would be moved. Nothing was changed; --apply does it.`);
  return 0;
}

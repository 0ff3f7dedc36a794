import { type Catalog, hasTiers, offerOf, type PlanOffer } from '@extension-billing/contract/catalog';
import { termsOfOffer } from '@extension-billing/contract/sold-terms';
import type { Stripe } from 'stripe';
import { readStoredAccount } from '../../../../functions/src/events/apply.ts';
import { parseUid, type Uid } from '../../../../functions/src/store/documents.ts';
import { writeMetadata } from '../../../../functions/src/stripe/fields.ts';
import { saleToKeep } from '../../../../functions/src/stripe/kept-sale.ts';
import { isOfOtherProject, isSold, type Seller } from '../../../../functions/src/stripe/sale.ts';
import { sealOf, sellerOf } from '../../../../functions/src/stripe/seal.ts';
import { readSubscription } from '../../../../functions/src/stripe/subscriptions.ts';
import { catalog as file } from '../local/catalog.ts';
import { findPrice } from '../stripe/catalog.ts';
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

/** A buyer of the plan who keeps what they have. */
interface Left {
  readonly uid: Uid;
  readonly why: string;
}

interface Migrated {
  readonly moves: readonly Move[];
  readonly left: readonly Left[];
}

type MigrationDeps = Pick<SupportDeps, 'firestore' | 'stripe' | 'now' | 'catalog' | 'sharesAccount'> & {
  readonly config: Pick<SupportDeps['config'], 'project' | 'saleSecrets' | 'sharedAccount'>;
};

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
 * It reaches every subscription that runs at the plan's price, also one that was changed to it.
 *
 * @returns whom it moved, or would, and which buyers of the plan it left as they are
 */
export async function migratePlan(
  deps: MigrationDeps,
  { plan, to, from, apply }: Migration,
): Promise<Migrated> {
  const stripe = await deps.stripe();
  const seller = sellerOf(deps);
  const { seal } = sealOf(deps.config);
  const moves: Move[] = [];
  const left: Left[] = [];
  for await (const { uid, plan: own } of eachBuyer(deps.firestore, deps.now())) {
    if (own !== plan) continue;
    const { customers } = await readStoredAccount(deps.firestore, uid);
    let isFound = false;
    for (const customer of customers) {
      for await (const each of stripe.subscriptions.list({ customer, limit: 100 })) {
        if (!isTheirs(each, uid, plan, seller)) continue;
        isFound = true;
        // Changed to this plan, and what was sold with that is not kept yet: then all of the sale is written.
        const kept = saleToKeep(each, seller, uid, (metadata) => ({ ...metadata })) ?? {};
        const before = { ...each.metadata, ...kept };
        const now = soldIn(before);
        if (from !== null && SOLD.some((key) => now[key] !== from[key])) {
          left.push({ uid, why: `${each.id} was sold with something else` });
          continue;
        }
        const metadata = changesOf(each.metadata, { ...kept, ...to, ...seal({ ...before, ...to }) });
        if (Object.keys(metadata).length === 0) continue;
        if (apply) await stripe.subscriptions.update(each.id, { metadata });
        const changed = SOLD.filter((key) => now[key] !== to[key]);
        const says = changed.map((key) => `${key} ${now[key] || '–'} → ${to[key] || '–'}`).join(', ');
        moves.push({ uid, subscription: each.id, metadata, says: says || 'sealed' });
      }
    }
    if (!isFound) left.push({ uid, why: 'no subscription of this plan at Stripe' });
  }
  return { moves, left };
}

type Metadata = Readonly<Record<string, string>>;

/** What an update has to write; an empty text removes a key (Stripe), where there is one. */
function changesOf(before: Metadata, after: Metadata): Metadata {
  return Object.fromEntries(Object.entries(after).filter(([key, value]) => (before[key] ?? '') !== value));
}

/** This user's, and on this plan: by the price that runs, whichever plan was bought first. */
function isTheirs(each: Stripe.Subscription, uid: Uid, plan: string, seller: Seller): boolean {
  const read = readSubscription(each, seller);
  const isOwn = (parseUid(read.uid) ?? uid) === uid && !isOfOtherProject(each, seller);
  return isOwn && isSold(read.state, seller.catalog) && read.state.lookupKey === plan;
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
  /** With the credits that the price has at the provider, which a buyer gets today. */
  const soldNow = async (): Promise<Sold | string> => {
    const sold = await soldIn(null);
    if (typeof sold === 'string') return sold;
    const price = await findPrice(await deps.stripe(), plan);
    return { ...sold, monthly_credits: price?.metadata.monthly_credits ?? sold.monthly_credits };
  };
  const wanted = to === null ? await soldNow() : await soldIn(to);
  const before = from === null ? null : await soldIn(from);
  for (const each of [wanted, before]) {
    if (typeof each !== 'string') continue;
    console.log(each);
    return 1;
  }
  const migration = { plan, to: wanted as Sold, from: before as Sold | null, apply };
  const { moves, left } = await migratePlan(deps, migration);
  if (moves.length > 0) {
    const rows = moves.map(({ uid, subscription, says }) => [uid, subscription, says]);
    console.log(`${formatTable(['user', 'subscription', 'what'], rows)}\n`);
  }
  if (left.length > 0) {
    const rows = left.map(({ uid, why }) => [uid, why]);
    console.log(`Left as they are:\n\n${formatTable(['user', 'why'], rows)}\n`);
  }
  const many = moves.length === 1 ? '1 subscription' : `${moves.length} subscriptions`;
  if (apply) console.log(`${many} moved. Their prices stay.`);
  else console.log(`${many} would be moved. Nothing was changed; --apply does it.`);
  return 0;
}

import type { Catalog } from '@extension-billing/contract/catalog';

/** One thing that another catalogue says otherwise. */
export interface Change {
  /** Where, as it stands in the file: `plans.pro_monthly.amount`. */
  readonly at: string;
  /** As text; undefined where there is nothing. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/**
 * What differs between two catalogues, in the order of the file: what is new or gone as a whole is one change, and so is
 * each field that is another one. Lookup keys, names and extension ids are what things are known by, never their order.
 */
export function compareCatalogs(before: Catalog, after: Catalog): readonly Change[] {
  return changesIn('', byKey(before), byKey(after));
}

type Tree = Readonly<Record<string, unknown>>;

function byKey({ plans, packs, ...rest }: Catalog): Tree {
  const keyed = (offers: Catalog['plans'] | Catalog['packs']) =>
    Object.fromEntries(offers.map(({ lookupKey, ...offer }) => [lookupKey, offer]));
  return { ...rest, plans: keyed(plans), packs: keyed(packs) };
}

function changesIn(above: string, before: Tree, after: Tree): readonly Change[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key): readonly Change[] => {
    const at = above === '' ? key : `${above}.${key}`;
    const [one, other] = [before[key], after[key]];
    if (isTree(one) && isTree(other)) return changesIn(at, one, other);
    const [here, there] = [textOf(one), textOf(other)];
    return here === there ? [] : [{ at, before: here, after: there }];
  });
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(textOf).join(', ');
  return Object.entries(value)
    .flatMap(([key, each]) => (textOf(each) === undefined ? [] : [`${key} ${textOf(each)}`]))
    .join(', ');
}

/** A change as a line for people: `+`, `-` or `~`, the place, and what it was and is. */
export function describeChange({ at, before, after }: Change): string {
  if (before === undefined) return `+ ${at}: ${after}`;
  if (after === undefined) return `- ${at} (was ${before})`;
  return `~ ${at}: ${before} → ${after}`;
}

/**
 * Why a catalogue should not follow another, with the way out; empty where it may. Extensions in the field have an older
 * file and are to be served by it, and what was sold under a key is known by that key for good.
 */
export function contradictions(before: Catalog, after: Catalog): readonly string[] {
  const offers = new Map([...after.plans, ...after.packs].map((offer) => [offer.lookupKey, offer]));
  const termOf = (offer: Catalog['plans'][number] | Catalog['packs'][number]) =>
    offer.kind === 'pack' ? 'a pack' : `${offer.kind}, ${offer.interval}`;
  return [
    ...[...before.plans, ...before.packs].flatMap((offer) => {
      const next = offers.get(offer.lookupKey);
      if (next === undefined || termOf(next) === termOf(offer)) return [];
      return `"${offer.lookupKey}" was ${termOf(offer)}, and would be ${termOf(next)}: whoever bought it is known by that key; give the new one another key`;
    }),
    ...Object.keys(before.features)
      .filter((name) => !Object.hasOwn(after.features, name))
      .map(
        (name) =>
          `the feature "${name}" would be gone: extensions that are installed still ask for it and would be refused (unknown_feature); keep it`,
      ),
    ...Object.keys(before.apps)
      .filter((id) => !Object.hasOwn(after.apps, id))
      .map((id) => `the extension ${id} would be gone from "apps": those who have it could not buy any more`),
  ];
}

/** Buyers of each plan, by lookup key. */
export type Buyers = ReadonlyMap<string, number>;

/** What the changes do to whom, a sentence each. */
export function consequences(changes: readonly Change[], after: Catalog, buyers: Buyers): readonly string[] {
  const plans = [...new Set(changes.flatMap(({ at }) => keyIn(at, 'plans') ?? []))];
  const touches = (...heads: readonly string[]) =>
    changes.some(({ at }) => heads.some((head) => at === head || at.startsWith(`${head}.`)));
  return [
    ...plans.flatMap((key): readonly string[] => {
      const many = buyers.get(key) ?? 0;
      if (many === 0) return [];
      const who = many === 1 ? '1 buyer keeps' : `${many} buyers keep`;
      if (!after.plans.some(({ lookupKey }) => lookupKey === key)) {
        return [`${key} is not sold any more: ${who} it, with all that was sold with it`];
      }
      const isTerms = touches(`plans.${key}.credits`, `plans.${key}.grants`);
      const how = isTerms ? `; "billing catalog migrate --plan ${key}" moves them` : '';
      return [`${key}: ${who} what was sold to them, at the price that they pay${how}`];
    }),
    ...(touches('features', 'gate', 'unmetered')
      ? ['costs and gates of features are in force for everybody within a minute']
      : []),
    ...(touches('free') ? [freeConsequence(after)] : []),
    ...(touches('plans', 'packs')
      ? ['prices at the provider are made and checked by "billing setup", which this does not do']
      : []),
  ];
}

function freeConsequence({ free }: Catalog): string {
  return free === null
    ? 'free credits stop for everybody within a minute; what is held already may still be charged'
    : 'free credits change for everybody, from the next period on; their daily ceiling within a minute';
}

function keyIn(at: string, head: string): string | null {
  return at.startsWith(`${head}.`) ? (at.slice(head.length + 1).split('.')[0] ?? null) : null;
}

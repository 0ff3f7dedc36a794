import { allowanceOf, type PackOffer, type PlanOffer } from '@extension-billing/contract/catalog';
import { costOf, gateOf } from '@extension-billing/contract/features';
import { catalog } from './catalog.ts';

/** @throws Error where the catalogue has nothing of the kind: what asked cannot be played with it */
function found<Thing>(thing: Thing | undefined, what: string): Thing {
  if (thing === undefined) throw new Error(`The catalogue has no ${what}, which this needs.`);
  return thing;
}

const plans = (kind: PlanOffer['interval'], isMetered: boolean): readonly PlanOffer[] =>
  catalog.plans.filter(({ interval, credits }) => interval === kind && (credits !== null) === isMetered);
const packs = (): readonly PackOffer[] => catalog.packs.toSorted((one, other) => one.credits - other.credits);
const metered = (): readonly string[] =>
  Object.keys(catalog.features)
    .filter((feature) => gateOf(catalog, feature) === 'metered')
    .toSorted((one, other) => (costOf(catalog, one) ?? 0) - (costOf(catalog, other) ?? 0));

/**
 * What the catalogue in force sells, by what it is: who plays on the suite names no key, amount or feature, so that it
 * plays with any catalogue that has such offers.
 */
export const sold = {
  /** A plan without credits, by the month. */
  get monthly() {
    return found(plans('month', false)[0], 'monthly plan without credits');
  },
  /** A monthly plan with credits. */
  get metered() {
    return found(plans('month', true)[0], 'monthly plan with credits');
  },
  get lifetime() {
    return found(plans('once', false)[0], 'lifetime plan');
  },
  get smallPack() {
    return found(packs()[0], 'pack');
  },
  get largePack() {
    return found(packs().slice(1).at(-1), 'second pack');
  },
  /** The metered feature that costs least, and the one that costs most. */
  get feature() {
    return found(metered()[0], 'metered feature');
  },
  get dearFeature() {
    return found(metered().at(-1), 'metered feature');
  },
};

/** Credits in one period of the monthly plan that has some. */
export const allowance = (): number => allowanceOf(sold.metered);

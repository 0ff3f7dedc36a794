import type { App, Catalog, FreeCredits, PackOffer, PlanOffer } from './catalog.ts';
import { type AppInput, type CatalogInput, type FreeInput, readDefined } from './define-catalog.ts';

/**
 * Checks a catalogue that another build resolved, as `defineCatalog` checks a file, but without fields that this build
 * doesn't know.
 *
 * @throws CatalogError with every problem at once
 */
export function checkCatalog(catalog: Catalog): Catalog {
  return readDefined(asWritten(catalog));
}

/** The file that resolves to this catalogue. */
function asWritten({ free, entitlements, plans, packs, apps, ...rest }: Catalog): CatalogInput {
  return {
    ...rest,
    ...(free !== null && { free: freeAsWritten(free) }),
    entitlements: Object.fromEntries(
      Object.entries(entitlements).map(([name, all]) => [
        name,
        { includes: all.filter((each) => each !== name) },
      ]),
    ),
    plans: Object.fromEntries(plans.map((plan) => [plan.lookupKey, planAsWritten(plan)])),
    packs: Object.fromEntries(packs.map((pack) => [pack.lookupKey, packAsWritten(pack)])),
    apps: Object.fromEntries(Object.entries(apps).map(([id, app]): [string, AppInput] => [id, appOf(app)])),
  };
}

function planAsWritten({ lookupKey: _, interval, credits, ...plan }: PlanOffer) {
  return { ...plan, ...(interval !== 'once' && { interval }), ...(credits !== null && { credits }) };
}

function packAsWritten({ lookupKey: _, kind: _kind, ...pack }: PackOffer) {
  return pack;
}

function freeAsWritten({ dailyCeiling, ...free }: FreeCredits): FreeInput {
  return { ...free, ...(dailyCeiling !== null && { dailyCeiling }) };
}

function appOf(app: App): AppInput {
  return app;
}

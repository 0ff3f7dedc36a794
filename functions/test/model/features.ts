import { testCatalog } from '@extension-billing/contract/test/catalog';

/** What a consume can spend on, from the catalogue: the model's small packs make these costs matter. */
export const FEATURES = [
  { name: 'demo', cost: testCatalog.features.demo?.cost ?? 0 },
  { name: 'demo_deep', cost: testCatalog.features.demo_deep?.cost ?? 0 },
] as const;

/** What only a service can use: held at most for so much, and settled by what it measured. Small and odd, as the costs. */
export const MEASURED = {
  name: 'chat',
  price: { hold: 9, overdraw: 4, rates: { input: { credits: 1, per: 3 }, output: { credits: 2, per: 5 } } },
} as const;

/** What a service says it used. */
export type Used =
  | { readonly amount: number }
  | { readonly units: { readonly input: number; readonly output: number } };

/** Credits of it, by hand: a third of the inputs and two fifths of the outputs, over fifteen, rounded up. */
export function creditsOfUsed(used: Used): number {
  return 'amount' in used ? used.amount : Math.ceil((5 * used.units.input + 6 * used.units.output) / 15);
}

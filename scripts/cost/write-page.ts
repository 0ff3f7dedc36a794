import { readFileSync, writeFileSync } from 'node:fs';
import { readMeasured } from './compute-cost.ts';
import { renderCost } from './render-cost.ts';

const at = (path: string): URL => new URL(`../../${path}`, import.meta.url);
const readJson = (path: string) => JSON.parse(readFileSync(at(path), 'utf8'));

/** docs/cost.md as it should be now: from docs/performance.json, the list prices and the indexes that are deployed. */
export function costPage(): string {
  const { fieldOverrides } = readJson('firestore.indexes.json') as {
    readonly fieldOverrides: readonly {
      readonly collectionGroup: string;
      readonly fieldPath: string;
      readonly indexes: readonly object[];
    }[];
  };
  const exempt = fieldOverrides
    .filter(({ collectionGroup, indexes }) => collectionGroup === 'credit_ledger' && indexes.length === 0)
    .map(({ fieldPath }) => fieldPath);
  return renderCost(readMeasured(readJson('docs/performance.json')), (field) => !exempt.includes(field));
}

export function writeCostPage(): void {
  writeFileSync(at('docs/cost.md'), costPage());
}

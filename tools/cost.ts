// node tools/cost.ts: writes docs/cost.md from what was measured (docs/performance.json) and the list prices.
import { writeCostPage } from './cost/cost-page.ts';

writeCostPage();
console.log('docs/cost.md is written.');

// node tools/bench/render-doc.ts [results.json]: keeps a quiet run as docs/performance.json and writes its table into
// docs/performance.md and README.md. --whatever-the-load also takes a run that was not alone on the machine.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writeCostPage } from '../cost/write-page.ts';
import { describeHighlights, describeResults, replaceMeasured } from './doc-table.ts';
import { QUIET, type Results, toJson } from './report.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'whatever-the-load': { type: 'boolean', default: false } },
});
const [from = here('./results.json')] = positionals;
const results: Results = JSON.parse(readFileSync(from, 'utf8'));
const [load = 0] = results.machine.loadBefore;
if (load >= QUIET && !values['whatever-the-load']) {
  console.error(`${from} was measured at a load of ${load}; figures count below ${QUIET}. Measure again.`);
  process.exit(1);
}
for (const [file, describe] of [
  ['../docs/performance.md', describeResults],
  ['../README.md', describeHighlights],
] as const) {
  const document = here(file);
  writeFileSync(document, replaceMeasured(readFileSync(document, 'utf8'), describe(results)));
}
writeFileSync(here('../docs/performance.json'), toJson(results));
writeCostPage();
console.log(
  `${results.rows.length} rows written into docs/performance.md and README.md, the figures into docs/performance.json, and what they cost into docs/cost.md`,
);

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * What axe holds against the page as it is shown now: rule and element of each violation. All rules, or those named.
 * Only violations are described: to describe all that passes takes longer than to look for what does not.
 */
export async function auditPage(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(AXE);
  const options = { resultTypes: ['violations'], ...(rules === undefined ? {} : { runOnly: rules }) };
  const run = `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations)`;
  const violations: AxeResults['violations'] = await page.evaluate(run);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

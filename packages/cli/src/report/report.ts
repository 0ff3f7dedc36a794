import { writeFileSync } from 'node:fs';
import type { Millis } from '@extension-billing/contract/customer';
import type { UsageRange } from '../../../../functions/src/credits/usage.ts';
import { connectBooks } from '../support/connect.ts';
import { readReport } from './read-report.ts';
import { renderPage } from './render-page.ts';
import { renderTerminal } from './render-terminal.ts';

interface Asked {
  readonly range: UsageRange;
  readonly now: Millis;
  /** The file of a page with charts. */
  readonly html: string | undefined;
  readonly asJson: boolean;
  readonly project: string | undefined;
}

/** Prints what was sold and spent. @throws CannotConnect when it cannot be read. */
export async function report({ range, now, html, asJson, project }: Asked): Promise<0> {
  const { firestore, name } = await connectBooks(project, process.env);
  const figures = await readReport(firestore, range, now);
  if (html !== undefined) writeFileSync(html, renderPage(figures, name, new Date(now)));
  if (asJson) {
    console.log(JSON.stringify({ project: name, ...figures }, null, 2));
    return 0;
  }
  console.log(`${name}\n\n${renderTerminal(figures)}`);
  if (html !== undefined) console.log(`\nThe page with the charts: ${html}`);
  return 0;
}

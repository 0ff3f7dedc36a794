// npm run report [-- --from <day>] [--to <day>] [--html <file>] [--json] [--project <id>]: what was sold and spent.
import { writeFileSync } from 'node:fs';
import { parseUsageRange } from '../../../functions/src/domain/usage.ts';
import { parseWords } from '../../../tools/args.ts';
import { readReport } from './report/read-report.ts';
import { renderPage } from './report/render-page.ts';
import { renderTerminal } from './report/render-terminal.ts';
import { CannotConnect, connectBooks } from './support/connect.ts';

const USAGE = `usage: npm run report -- [--from <day>] [--to <day>] [--html <file>] [--json] [--project <id>]
  --from, --to  days as 2026-11-21, in UTC, both included; without them the last 30 days
  --html        also writes a page with charts into this file
  --json        prints the figures as JSON instead of tables
  --project     a Firebase project of yours, with your application default credentials; without it the suite that
                runs on this machine`;

async function main(words: readonly string[]): Promise<void> {
  const { from, to, html, json, project } = readOptions(words);
  const now = Date.now();
  const range = parseUsageRange(from, to, now);
  if (typeof range === 'string') throw new CannotConnect(`--${range}\n\n${USAGE}`);
  const { firestore, name } = await connectBooks(project, process.env);
  const report = await readReport(firestore, range, now);
  if (html !== undefined) writeFileSync(html, renderPage(report, name, new Date(now)));
  if (json) {
    console.log(JSON.stringify({ project: name, ...report }, null, 2));
    return;
  }
  console.log(`${name}\n\n${renderTerminal(report)}`);
  if (html !== undefined) console.log(`\nThe page with the charts: ${html}`);
}

function readOptions(words: readonly string[]) {
  const text = { type: 'string' } as const;
  const json = { type: 'boolean', default: false } as const;
  const options = { from: text, to: text, html: text, project: text, json };
  return parseWords(words, USAGE, { options }).values;
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error instanceof CannotConnect ? error.message : error);
    process.exit(2);
  },
);

import { writeFileSync } from 'node:fs';
import type { Millis } from '@extension-billing/contract/customer';
import { dayOf } from '@extension-billing/contract/time';
import type { UsageRange } from '../../../../functions/src/credits/usage.ts';
import { dearestOf } from '../../../../functions/src/report/accounts.ts';
import { connectBooks } from '../support/connect.ts';
import { startProgress } from '../support/progress.ts';
import { howToGoOn, openResume, STOPPED, untilStopped } from '../support/resume.ts';
import { readReport, Walk } from './read-report.ts';
import { renderPage } from './render-page.ts';
import { renderTerminal } from './render-terminal.ts';

interface Asked {
  readonly range: UsageRange;
  /** The days as they were typed. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly now: Millis;
  /** Also of the days that are not over. */
  readonly live: boolean;
  /** Go on with the run that was stopped. */
  readonly resume: boolean;
  /** The file of a page with charts. */
  readonly html: string | undefined;
  readonly asJson: boolean;
  readonly project: string | undefined;
}

/**
 * Prints what was sold and spent.
 *
 * @returns 0, or STOPPED after Ctrl-C
 * @throws Refusal when it cannot be read
 */
export async function report(asked: Asked): Promise<number> {
  const { from = null, to = null, live, project, html, now } = asked;
  const { firestore, name, store, catalog } = await connectBooks(project, process.env);
  // A day later other days are over: that is another report.
  const args = { from, to, live, store, today: dayOf(now) };
  const resume = openResume<Walk>({ command: 'report', args, schema: Walk }, asked.resume);
  const progress = startProgress('accounts');
  const figures = await untilStopped(async (stop) => {
    let total: number | null = null;
    const counted = firestore.collection('customers').count().get();
    counted.then(
      (sum) => {
        total = sum.data().count;
      },
      () => {},
    );
    return readReport(firestore, asked.range, now, {
      live,
      // On this machine the provider's clock may be anywhere, and everybody is soon asked.
      ...(project !== undefined && { dearest: dearestOf(catalog) }),
      from: resume.state,
      stop,
      onPage(walk) {
        resume.save(walk);
        progress.report(walk.accounts, total);
      },
    });
  });
  progress.end();
  if (figures === null) {
    console.error(howToGoOn(lineOf(asked)));
    return STOPPED;
  }
  // Where the page cannot be written, what was read is not lost.
  if (html !== undefined) writeFileSync(html, renderPage(figures, name, new Date(now)));
  resume.done();
  if (asked.asJson) {
    console.log(JSON.stringify({ project: name, ...figures }, null, 2));
    return 0;
  }
  console.log(`${name}\n\n${renderTerminal(figures)}`);
  if (live && figures.read.live.some((day) => day < dayOf(now))) {
    console.log(
      '\n--live changes nothing here: earlier days are not added up yet, so the ledgers are read anyway.',
    );
  }
  if (html !== undefined) console.log(`\nThe page with the charts: ${html}`);
  return 0;
}

function lineOf({ from, to, live, html, asJson, project }: Asked): string {
  const values = { from, to, html, project };
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name} ${value}`],
  );
  return ['report', ...given, ...(live ? ['--live'] : []), ...(asJson ? ['--json'] : [])].join(' ');
}

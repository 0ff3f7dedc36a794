import { type Results, saysMet } from './report.ts';

const BEGIN = '<!-- measured: written by bench/render-doc.ts -->';
const END = '<!-- /measured -->';
const NOTHING = 'No run on a quiet machine has been recorded yet.';

/** The measured table as Markdown, with what it was measured on and the command for each row. */
export function describeResults(results: Results | null): string {
  if (results === null) return NOTHING;
  const { at, machine, seconds, rows } = results;
  const load = machine.loadBefore.map((average) => average.toFixed(2)).join(', ');
  const heading = ['row', 'measured', 'aim', '', 'result', '`npm run bench --`'];
  const lines = rows.map(({ row, what, aim, met, result }) => [
    row,
    what,
    aim,
    saysMet(met),
    result,
    `\`--only ${row}\``,
  ]);
  return [
    `Measured on ${at.slice(0, 10)} at ${at.slice(11, 16)} UTC: ${machine.cpus} × ${machine.model}, Node ${machine.node.slice(1)}, load averages before ${load}; the run took ${Math.round(seconds)} s.`,
    '',
    ...[heading, heading.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`),
  ].join('\n');
}

/**
 * Puts a text in the place of what stands between the two markers of a document.
 *
 * @throws Error when the markers are not there, or not in their order
 */
export function replaceMeasured(document: string, text: string): string {
  const begin = document.indexOf(BEGIN);
  const end = document.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`the document needs "${BEGIN}", and "${END}" after it`);
  return `${document.slice(0, begin + BEGIN.length)}\n\n${text}\n\n${document.slice(end)}`;
}

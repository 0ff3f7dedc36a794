import type { Extension } from './extension.ts';
import type { ByHand, Plan, Write } from './plan.ts';

const NAMES = {
  plain: 'an extension without a bundler',
  webpack: 'a webpack extension',
  vite: 'a vite extension',
  crxjs: 'an extension on CRXJS',
  wxt: 'a wxt extension',
  plasmo: 'a Plasmo extension',
} as const satisfies Record<Extension['kind'], string>;

export const hasWork = ({ writes, install }: Plan): boolean => writes.length > 0 || install !== null;

/** What will be done, and why: for a terminal, before anything is written. */
export function showPlan(extension: Extension, plan: Plan): string {
  const { kind, manifest, uses } = extension;
  const with_ = [uses.typescript && 'TypeScript', uses.react && 'React'].filter(Boolean).join(' and ');
  const head = `This is ${NAMES[kind]}${with_ === '' ? '' : ` with ${with_}`}${manifest === null ? '' : ` (${manifest.path})`}.`;
  if (!hasWork(plan))
    return [head, 'Billing is in it already: nothing to change.', ...keptLines(plan)].join('\n');
  return [
    head,
    'This will be changed:',
    '',
    ...(plan.install === null
      ? []
      : [`  run   ${plan.install.command.join(' ')}`, `        ${plan.install.why}`]),
    ...plan.writes.flatMap(showWrite),
    ...keptLines(plan),
  ].join('\n');
}

const keptLines = ({ kept }: Plan): readonly string[] =>
  kept.length === 0 ? [] : ['', `  stays as it is, since you changed it: ${kept.join(', ')}`];

function showWrite({ path, before, after, why }: Write): readonly string[] {
  if (before === null) return [`  new   ${path}`, ...why.map((words) => `        ${words}`)];
  return [`  edit  ${path}`, ...why.map((words) => `        ${words}`), ...changedLines(before, after)];
}

/** The lines that go and that come, as a diff shows them. */
export function changedLines(before: string, after: string): readonly string[] {
  const [old, now] = [before.split(/\r?\n/), after.split(/\r?\n/)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end))
    end += 1;
  const [gone, come] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  const kept = commonLines(gone, come);
  const pick = (lines: readonly string[], sign: string): readonly string[] => {
    const left = [...kept];
    return lines.flatMap((line) => {
      if (left[0] !== line) return [`        ${sign} ${line}`];
      left.shift();
      return [];
    });
  };
  return [...pick(gone, '-'), ...pick(come, '+')];
}

/** The longest run of lines, not side by side, that both have. */
function commonLines(one: readonly string[], other: readonly string[]): readonly string[] {
  const lengths = Array.from({ length: one.length + 1 }, () => new Uint32Array(other.length + 1));
  const at = (row: number, column: number): number => lengths[row]?.[column] ?? 0;
  for (let row = one.length - 1; row >= 0; row -= 1) {
    for (let column = other.length - 1; column >= 0; column -= 1) {
      const length =
        one[row] === other[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
      lengths[row]?.fill(length, column, column + 1);
    }
  }
  const common: string[] = [];
  for (let row = 0, column = 0; row < one.length && column < other.length; ) {
    const line = one[row];
    if (line !== undefined && line === other[column]) {
      common.push(line);
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return common;
}

/** What is left to a person, file by file. */
export function showByHand(byHand: readonly ByHand[]): string {
  return [
    'Left for you, since it could not be told surely where it belongs:',
    ...byHand.flatMap(({ path, why, lines }) => [
      '',
      `  ${path}: ${why}`,
      ...lines.map((line) => `    ${line}`),
    ]),
  ].join('\n');
}

import type { Millis } from '@extension-billing/contract/customer';

/** A terminal's line is written again this often; a log gets a line of its own far less often. */
const TERMINAL_EVERY: Millis = 200;
const LOG_EVERY: Millis = 10_000;
/** The rate is that of so long: a slow beginning says nothing about the end. */
const RATE_OVER: Millis = 30_000;

/** Where progress is told: stderr, so that a command's answer can be piped. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export interface Progress {
  /**
   * @param done of all, with what an earlier run did
   * @param total null where nobody knows
   */
  report(done: number, total?: number | null): void;
  /** Prints a line of the command's answer to stdout, apart from the line of progress. */
  print(line: string): void;
  /** What was told stands, on a line of its own. */
  end(): void;
}

/**
 * Tells how far a command is, with rate and time left: on a terminal one line that is written again, else a line every
 * ten seconds, so that a log stays readable. What is over sooner than that says nothing into a log.
 *
 * @param what is counted: `users`
 */
export function startProgress(
  what: string,
  stream: ProgressStream = process.stderr,
  now: () => Millis = () => performance.now(),
): Progress {
  const isTerminal = stream.isTTY === true;
  let told = isTerminal ? Number.NEGATIVE_INFINITY : now();
  let marks: readonly Mark[] = [];
  let last: { readonly done: number; readonly total: number | null } | null = null;
  let isShown = false;

  const tell = (): void => {
    if (last === null) return;
    const text = describeProgress(what, last.done, last.total, rateOf(marks));
    stream.write(isTerminal ? `\r${text}\u001b[K` : `${text}\n`);
    isShown = true;
  };
  const clear = (): void => {
    if (isTerminal && isShown) stream.write('\r\u001b[K');
    isShown = false;
  };
  return {
    report(done, total = null) {
      const at = now();
      last = { done, total };
      marks = withMark(marks, { at, done });
      if (at - told < (isTerminal ? TERMINAL_EVERY : LOG_EVERY)) return;
      told = at;
      tell();
    },
    print(line) {
      clear();
      console.log(line);
      if (isTerminal) tell();
    },
    end() {
      if (!isTerminal || last === null) return;
      tell();
      stream.write('\n');
      last = null;
    },
  };
}

interface Mark {
  readonly at: Millis;
  readonly done: number;
}

/** The marks of the last while and one before it; those that are nearer than a second to another say nothing more. */
function withMark(marks: readonly Mark[], mark: Mark): readonly Mark[] {
  const newest = marks.at(-2);
  const kept = newest !== undefined && mark.at - newest.at < 1_000 ? marks.slice(0, -1) : marks;
  const oldest = kept.findLastIndex(({ at }) => at <= mark.at - RATE_OVER);
  return [...kept.slice(Math.max(0, oldest)), mark];
}

/** A second; null where nothing can be said yet. */
function rateOf(marks: readonly Mark[]): number | null {
  const [first, last] = [marks.at(0), marks.at(-1)];
  if (first === undefined || last === undefined || last.at - first.at < 500) return null;
  return ((last.done - first.done) * 1_000) / (last.at - first.at);
}

/** `users: 12,000 of 100,000 (12 %), 310 a second, 4 min 44 s left`. */
export function describeProgress(
  what: string,
  done: number,
  total: number | null,
  perSecond: number | null,
): string {
  const share = total === null || total === 0 ? '' : ` (${Math.floor((100 * done) / total)} %)`;
  const of = total === null ? '' : ` of ${group(total)}${share}`;
  const rate = perSecond === null ? '' : `, ${describeRate(perSecond)}`;
  const canTell = total !== null && total >= done && perSecond !== null && perSecond > 0;
  const left = canTell ? `, ${describeDuration(((total - done) / perSecond) * 1_000)} left` : '';
  return `${what}: ${group(done)}${of}${rate}${left}`;
}

function describeRate(perSecond: number): string {
  return perSecond >= 10 || perSecond === 0
    ? `${group(Math.round(perSecond))} a second`
    : `${group(Math.round(perSecond * 60))} a minute`;
}

function group(count: number): string {
  return count.toLocaleString('en-US');
}

/** The two largest units: `2 days 3 h`, `4 min 44 s`, `8 s`. */
export function describeDuration(millis: Millis): string {
  const seconds = Math.round(millis / 1_000);
  const [days, hours] = [Math.floor(seconds / 86_400), Math.floor((seconds % 86_400) / 3_600)];
  const [minutes, rest] = [Math.floor((seconds % 3_600) / 60), seconds % 60];
  if (days > 0) return `${days} days ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${rest} s` : `${rest} s`;
}

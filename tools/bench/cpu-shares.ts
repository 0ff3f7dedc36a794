/** The parts of V8's CPU profile (https://chromedevtools.github.io/devtools-protocol/tot/Profiler) that count here. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: {
      readonly functionName: string;
      readonly url: string;
      /** From 0. */
      readonly lineNumber: number;
      readonly columnNumber: number;
    };
  }[];
  readonly samples: readonly number[];
  /** Microseconds between a sample and the one before it. */
  readonly timeDeltas: readonly number[];
}

/** Says which source file a place of the bundle comes from; undefined where it does not know. */
export type FindSource = (file: string, line: number, column: number) => string | undefined;

/**
 * The processor's time by what it goes into: the service's own folders, packages, Node itself, garbage collection.
 * Shares of the time that was not idle, the largest first.
 */
export function sharesOf(
  profile: CpuProfile,
  findSource: FindSource,
): readonly { readonly of: string; readonly share: number }[] {
  const named = new Map(profile.nodes.map(({ id, callFrame }) => [id, nameOf(callFrame, findSource)]));
  const spent = new Map<string, number>();
  for (const [n, id] of profile.samples.entries()) {
    const name = named.get(id) ?? '(unknown)';
    if (name !== '(idle)') spent.set(name, (spent.get(name) ?? 0) + (profile.timeDeltas[n] ?? 0));
  }
  const all = [...spent.values()].reduce((sum, time) => sum + time, 0);
  return [...spent].map(([of, time]) => ({ of, share: time / all })).toSorted((a, b) => b.share - a.share);
}

function nameOf(
  { functionName, url, lineNumber, columnNumber }: CpuProfile['nodes'][number]['callFrame'],
  findSource: FindSource,
): string {
  if (url === '') return functionName.startsWith('(') ? functionName : 'V8 builtins';
  if (url.startsWith('node:')) return 'node';
  const source = url.endsWith('.cjs') ? findSource(url, lineNumber, columnNumber) : url;
  const [, installed] = source?.split(/.*node_modules\//) ?? [];
  if (installed !== undefined) return installed.split('/', installed.startsWith('@') ? 2 : 1).join('/');
  const own = source?.split(/.*\bsrc\//)[1];
  return own === undefined ? 'the bundle around it' : `functions/src/${own.split('/')[0]}`;
}

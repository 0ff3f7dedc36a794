import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SUBSCRIPTION_STATUSES } from '@extension-billing/contract/subscription-status';
import { describe, expect, it } from 'vitest';
import { parseAst } from 'vitest/node';

const SRC = fileURLToPath(new URL('../src/', import.meta.url));

/** What each room may import of the others. The files directly in src put the rooms together. */
const MAY_USE: Readonly<Record<string, readonly string[]>> = {
  platform: [],
  store: ['platform'],
  stripe: ['store'],
  free: ['store'],
  http: ['free', 'stripe', 'store'],
  credits: ['free', 'http', 'store'],
  events: ['credits', 'free', 'http', 'stripe', 'store'],
  checkout: ['events', 'http', 'stripe', 'store'],
  services: ['free', 'http', 'store'],
  account: ['events', 'free', 'http', 'stripe', 'store'],
  reconcile: ['events', 'credits', 'free', 'http', 'stripe', 'store'],
  report: ['events', 'store'],
};

/** Files directly in src that a room may import. */
const SHARED = ['config.ts', 'deps.ts', 'errors.ts', 'log.ts'];

/** Files that only decide: no I/O, no clock, no chance, and no value from a file that is not pure. */
const PURE: readonly string[] = [
  'checkout/decide.ts',
  'credits/decide.ts',
  'events/derive.ts',
  'events/disputes.ts',
  'events/entitlement.ts',
  'events/facts.ts',
  'events/hand-grants.ts',
  'events/lots.ts',
  'events/open-account.ts',
  'events/pools.ts',
  'events/subscription.ts',
  'free/budget.ts',
  'free/decide.ts',
  'reconcile/compare.ts',
  'report/day-sums.ts',
  'report/figures.ts',
  'report/sales.ts',
  'stripe/facts.ts',
  'stripe/fields.ts',
  'stripe/sale.ts',
];

const MAX_LINES = 450;

interface Import {
  readonly from: string;
  readonly isType: boolean;
  /** By `import()`, so loaded when it is first needed. */
  readonly isLate: boolean;
}

interface Source {
  readonly path: string;
  readonly room: string;
  readonly lines: number;
  readonly imports: readonly Import[];
  readonly passesOn: boolean;
  readonly texts: ReadonlySet<string>;
  /** Of what reads a clock or the world. */
  readonly impurities: readonly string[];
}

function readSource(path: string): Source {
  const text = readFileSync(join(SRC, path), 'utf8');
  const program = parseAst(text, { lang: 'ts' });
  const imports: Import[] = [];
  const impurities: string[] = [];
  const texts = new Set<string>();
  let passesOn = false;
  for (const node of nodesOf(program)) {
    const from = sourceOf(node);
    if (node.type === 'ImportDeclaration' && from !== null) {
      imports.push({ from, isType: isTypeImport(node), isLate: false });
    } else if (node.type === 'TSImportType' && from !== null) {
      imports.push({ from, isType: true, isLate: false });
    } else if (node.type === 'ImportExpression' && from !== null) {
      imports.push({ from, isType: false, isLate: true });
    } else if (/^Export(?:All|Named)Declaration$/.test(node.type) && from !== null) {
      passesOn = true;
    }
    if (node.type === 'Literal' && typeof node.value === 'string') texts.add(node.value);
    const impurity = impurityOf(node);
    if (impurity !== null) impurities.push(impurity);
  }
  return {
    path,
    room: roomOf(path),
    lines: text.split('\n').length - 1,
    imports,
    passesOn,
    texts,
    impurities,
  };
}

type Node = { readonly type: string } & Readonly<Record<string, unknown>>;

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function* nodesOf(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const item of value) yield* nodesOf(item);
  if (!isNode(value)) return;
  yield value;
  for (const child of Object.values(value)) yield* nodesOf(child);
}

function sourceOf({ source }: Node): string | null {
  return isNode(source) && typeof source.value === 'string' ? source.value : null;
}

function isTypeImport({ importKind, specifiers }: Node): boolean {
  if (importKind === 'type') return true;
  return (
    Array.isArray(specifiers) &&
    specifiers.length > 0 &&
    specifiers.every((specifier) => isNode(specifier) && specifier.importKind === 'type')
  );
}

const WORLD = new Set(['performance', 'crypto', 'process', 'fetch', 'setTimeout', 'setImmediate', 'console']);

function impurityOf(node: Node): string | null {
  const nameOf = (value: unknown): unknown =>
    isNode(value) && value.type === 'Identifier' ? value.name : null;
  if (node.type === 'MemberExpression') {
    const [object, property] = [nameOf(node.object), nameOf(node.property)];
    if (object === 'Date' && property === 'now') return 'Date.now';
    if (object === 'Math' && property === 'random') return 'Math.random';
    return typeof object === 'string' && WORLD.has(object) ? object : null;
  }
  const isCall = node.type === 'CallExpression' || node.type === 'NewExpression';
  const callee = isCall ? nameOf(node.callee) : null;
  if (callee === 'Date' && Array.isArray(node.arguments) && node.arguments.length === 0) return 'new Date()';
  return typeof callee === 'string' && WORLD.has(callee) ? callee : null;
}

function roomOf(path: string): string {
  return path.includes('/') ? (path.split('/')[0] ?? '') : '';
}

/** Path within src that an import leads to; null for a package. */
function targetOf({ path }: Source, { from }: Import): string | null {
  return from.startsWith('.') ? relative(SRC, resolve(SRC, dirname(path), from)) : null;
}

function targetsOf(source: Source | undefined): readonly string[] {
  return (source?.imports ?? []).flatMap((each) => (source && targetOf(source, each)) ?? []);
}

function reachableFrom(...paths: readonly string[]): ReadonlySet<string> {
  const reached = new Set<string>();
  const visit = (path: string): void => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const target of targetsOf(sources.find((source) => source.path === path))) visit(target);
  };
  for (const path of paths) visit(path);
  return reached;
}

const sources: readonly Source[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .map(readSource);

const pathsOf = (found: readonly Source[]): readonly string[] => found.map(({ path }) => path);

describe('the rooms', () => {
  it('are these, and nothing else lies beside them', () => {
    expect(new Set(sources.map(({ room }) => room))).toEqual(new Set(['', ...Object.keys(MAY_USE)]));
  });

  it.each(Object.keys(MAY_USE))('%s uses only the rooms that it may', (room) => {
    const others = sources
      .filter((source) => source.room === room)
      .flatMap((source) => targetsOf(source).map((to) => ({ from: source.path, to })))
      .filter(({ to }) => {
        if (roomOf(to) === '') return !SHARED.includes(to);
        return roomOf(to) !== room && !MAY_USE[room]?.includes(roomOf(to));
      });
    expect(others).toEqual([]);
  });

  it('of credits lead to nothing of the events', () => {
    const credits = pathsOf(sources.filter(({ room }) => room === 'credits'));
    expect([...reachableFrom(...credits)].filter((path) => roomOf(path) === 'events')).toEqual([]);
  });

  it('load the provider’s SDK in one file of stripe, when it is first needed', () => {
    const sdk = sources.flatMap(({ path, imports }) =>
      imports
        .filter(({ from, isType }) => from === 'stripe' && !isType)
        .map(({ isLate }) => ({ path, isLate })),
    );
    expect(sdk).toEqual([{ path: 'stripe/client.ts', isLate: true }]);
  });
});

describe('the catalogue', () => {
  it('is read by index.ts alone, and given to everything else', () => {
    const readers = sources.filter(({ imports }) =>
      imports.some(({ from }) => from.includes('billing.config')),
    );
    expect(pathsOf(readers)).toEqual(['index.ts']);
  });
});

describe('Stripe', () => {
  const outside = sources.filter(({ room }) => room !== 'stripe');

  it('has its SDK and its types in one room', () => {
    const users = outside.filter(({ imports }) => imports.some(({ from }) => /^stripe(?:\/|$)/.test(from)));
    expect(pathsOf(users)).toEqual([]);
  });

  it('has its statuses there, and in the contract; the plan for life, which nobody bills, is active too', () => {
    const statuses = SUBSCRIPTION_STATUSES.filter((status) => status !== 'active');
    const found = outside.flatMap(({ path, texts }) =>
      statuses.filter((status) => texts.has(status)).map((status) => `${path}: ${status}`),
    );
    expect(found).toEqual([]);
  });
});

describe('a pure file', () => {
  it.each(PURE)('%s does no I/O and reads no clock and no chance', (path) => {
    const source = sources.find((each) => each.path === path);
    expect(source?.impurities).toEqual([]);
    const values = (source?.imports ?? [])
      .filter(({ isType, from }) => !isType && !from.startsWith('@extension-billing/contract/'))
      .map((each) => (source && targetOf(source, each)) ?? each.from);
    expect(values.filter((target) => !PURE.includes(target))).toEqual([]);
  });
});

describe('every file', () => {
  it('is reachable from index.ts', () => {
    const reached = reachableFrom('index.ts');
    expect(pathsOf(sources).filter((path) => !reached.has(path))).toEqual([]);
  });

  it('can be read without another that is read with it: no imports go in a circle', () => {
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (path: string, above: readonly string[]): void => {
      if (above.includes(path)) circles.push([...above.slice(above.indexOf(path)), path].join(' → '));
      if (done.has(path) || above.includes(path)) return;
      for (const target of targetsOf(sources.find((source) => source.path === path)))
        visit(target, [...above, path]);
      done.add(path);
    };
    for (const { path } of sources) visit(path, []);
    expect(circles).toEqual([]);
  });

  it('says something of its own: none only passes on what others export', () => {
    expect(pathsOf(sources.filter(({ passesOn }) => passesOn))).toEqual([]);
  });

  it(`has at most ${MAX_LINES} lines`, () => {
    expect(pathsOf(sources.filter(({ lines }) => lines > MAX_LINES))).toEqual([]);
  });

  it('needs nothing of what makes the API’s documents out of the schemas', () => {
    const makers = sources.filter((source) =>
      source.imports.some(
        (each) =>
          each.from.startsWith('@valibot/to-json-schema') ||
          targetOf(source, each)?.startsWith('../openapi/'),
      ),
    );
    expect(pathsOf(makers)).toEqual([]);
  });

  it('imports no test', () => {
    const testing = sources.filter((source) =>
      source.imports.some((each) => each.from === 'vitest' || targetOf(source, each)?.startsWith('../test/')),
    );
    expect(pathsOf(testing)).toEqual([]);
  });
});

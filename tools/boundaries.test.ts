import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseAst } from 'vitest/node';

/** Which source may import which: imports point one way, inside packages and between them. */

const root = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = '{functions,extension,packages/*}/src';

/** What each room may import of the others in its folder. */
const ROOMS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'functions/src': {
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
  },
  'packages/cli/src': {
    local: [],
    support: ['local'],
    stripe: ['local', 'support'],
    backup: ['local', 'support'],
    customer: ['local', 'support', 'import'],
    import: ['local', 'support'],
    init: ['support'],
    keys: ['support'],
    report: ['support'],
    reconcile: ['local', 'support'],
    doctor: ['local', 'stripe', 'support'],
    deploy: ['local', 'support', 'doctor'],
    catalog: ['local', 'support', 'doctor', 'stripe'],
  },
};
/** Files directly in functions/src that a room may import. */
const SHARED = ['config', 'deps', 'errors', 'log'].map((name) => `functions/src/${name}.ts`);

/** Files that only decide: no I/O, no clock, no chance, and no value from a file that isn't pure. */
const PURE: readonly string[] = [
  'checkout/decide',
  'credits/decide',
  'events/derive',
  'events/disputes',
  'events/entitlement',
  'events/facts',
  'events/hand-grants',
  'events/lots',
  'events/open-account',
  'events/pools',
  'events/subscription',
  'free/budget',
  'free/decide',
  'reconcile/compare',
  'report/day-sums',
  'report/figures',
  'report/sales',
  'stripe/facts',
  'stripe/fields',
  'stripe/sale',
].map((name) => `functions/src/${name}.ts`);
const WORLD =
  /\b(?:Date\.now|new Date\(\)|Math\.random|(?<!\.)fetch\(|setTimeout\(|setImmediate\(|process\.|console\.|performance\.)/;

interface Import {
  readonly from: string;
  /** A path from the root, or the name of a package. */
  readonly to: string;
  readonly isType: boolean;
}

const files = globSync(`${SOURCES}/**/*.{ts,tsx}`, { cwd: root })
  .filter((path) => !/\.test\.tsx?$|\.d\.ts$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

const imports = files.flatMap(({ path, text }): Import[] => {
  const found = (name: string, isType: boolean): Import => ({
    from: path,
    to: name.startsWith('.') ? normalize(join(dirname(path), name)) : name,
    isType,
  });
  const { body } = parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' });
  const early = body.flatMap((node) => {
    if (node.type === 'ImportDeclaration') {
      const kinds = node.specifiers.map((each) => 'importKind' in each && each.importKind === 'type');
      const isType =
        ('importKind' in node && node.importKind === 'type') || (kinds.length > 0 && kinds.every(Boolean));
      return [found(node.source.value, isType)];
    }
    const isExport = node.type === 'ExportNamedDeclaration' || node.type === 'ExportAllDeclaration';
    return isExport && node.source
      ? [found(node.source.value, 'exportKind' in node && node.exportKind === 'type')]
      : [];
  });
  const late = [...text.matchAll(/\bimport\('([^']+)'\)/g)].map(([, name = '']) => found(name, false));
  return [...early, ...late];
});

/** Each import that breaks a rule, in words. */
const breaking = (isBreaking: (one: Import) => boolean): string[] =>
  imports.filter(isBreaking).map(({ from, to }) => `${from} imports ${to}`);
const isIn = (path: string, ...folders: readonly string[]): boolean =>
  folders.some((folder) => path.startsWith(folder));

it('finds the sources and their imports', () => {
  expect(files.length).toBeGreaterThan(500);
  expect(imports).toContainEqual({
    from: 'functions/src/events/derive.ts',
    to: 'functions/src/events/facts.ts',
    isType: false,
  });
});

it('no package reaches into another one, except commands and server into the backend', () => {
  const packageOf = (path: string) => /^(?:packages\/)?[^/]+\//.exec(path)?.[0] ?? '';
  const allowed = (from: string, to: string) =>
    to === 'billing.config.ts' ||
    (isIn(from, 'packages/cli/') && isIn(to, 'functions/src/')) ||
    (isIn(from, 'packages/server/src/') && isIn(to, 'functions/src/'));
  const crossing = breaking(
    ({ from, to }) => existsSync(join(root, to)) && packageOf(from) !== packageOf(to) && !allowed(from, to),
  );
  expect(crossing).toEqual([]);
});

it('the contract imports no other package, and the simulator not even the contract', () => {
  expect(
    breaking(
      ({ from, to }) =>
        (isIn(from, 'packages/contract/') &&
          isIn(to, '@extension-billing/') &&
          !isIn(to, '@extension-billing/contract/')) ||
        (isIn(from, 'packages/simulator/') && isIn(to, '@extension-billing/')),
    ),
  ).toEqual([]);
});

it('no imports go in a circle', () => {
  const targets = Map.groupBy(
    imports.filter(({ isType }) => !isType),
    ({ from }) => from,
  );
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (path: string, above: readonly string[]): void => {
    if (above.includes(path)) circles.push([...above.slice(above.indexOf(path)), path].join(' → '));
    else if (!done.has(path)) for (const { to } of targets.get(path) ?? []) visit(to, [...above, path]);
    done.add(path);
  };
  for (const { path } of files) visit(path, []);
  expect(circles).toEqual([]);
});

describe.each(Object.entries(ROOMS))('in %s', (folder, rooms) => {
  const roomOf = (path: string) => new RegExp(`^${folder}/([^/]+)/`).exec(path)?.[1];

  it('each room imports only those that it may', () => {
    expect(
      breaking(({ from, to }) => {
        const room = roomOf(from);
        if (room === undefined || !isIn(to, `${folder}/`) || SHARED.includes(to)) return false;
        const used = roomOf(to);
        return used !== room && !rooms[room]?.includes(used ?? '');
      }),
    ).toEqual([]);
  });
});

describe('in the backend', () => {
  it('files that decide read no clock and do no I/O', () => {
    const impure = files.filter(({ path, text }) => PURE.includes(path) && WORLD.test(withoutComments(text)));
    expect(impure.map(({ path }) => path)).toEqual([]);
    const isPure = (to: string) => PURE.includes(to) || isIn(to, '@extension-billing/contract/');
    expect(breaking(({ from, to, isType }) => PURE.includes(from) && !isType && !isPure(to))).toEqual([]);
  });

  it('Stripe’s SDK is used in one room, and the catalogue read in index.ts', () => {
    const isForeign = ({ from, to }: Import) =>
      isIn(from, 'functions/src/') &&
      ((/^stripe(?:\/|$)/.test(to) && !isIn(from, 'functions/src/stripe/')) ||
        (to === 'billing.config.ts' && from !== 'functions/src/index.ts'));
    expect(breaking(isForeign)).toEqual([]);
  });
});

describe('in the client', () => {
  const CLIENT = 'packages/client/src';
  const WORKER = [`${CLIENT}/background/`, `${CLIENT}/patches/`, `${CLIENT}/web/serve.ts`];

  it('pages reach the SDK and the background by messages only', () => {
    const doors = [...WORKER, `${CLIENT}/exports/background.ts`];
    expect(
      breaking(({ from, to, isType }) => {
        if (!isIn(from, `${CLIENT}/`)) return false;
        if (isIn(to, 'firebase')) return !isIn(from, ...WORKER);
        return isIn(to, `${CLIENT}/background/`) && !isType && !isIn(from, ...doors);
      }),
    ).toEqual([]);
  });

  it('the background alone writes the snapshot, and uses no React', () => {
    expect(
      breaking(
        ({ from, to }) =>
          (to === `${CLIENT}/snapshot/write.ts` && !isIn(from, `${CLIENT}/background/`)) ||
          (/^react(?:-dom)?(?:\/|$)/.test(to) && isIn(from, `${CLIENT}/background/`, `${CLIENT}/patches/`)),
      ),
    ).toEqual([]);
  });
});

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
}

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SRC = fileURLToPath(new URL('../src/', import.meta.url));

/** What each layer may import of the others; the files directly in src put the layers together. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  provider: ['domain'],
  store: ['domain'],
  http: ['provider', 'store', 'domain'],
  // Replays what the provider could not deliver through the webhook's own path, so it stands above http.
  reconcile: ['http', 'provider', 'store', 'domain'],
};

/** Files directly in src that a layer may import: they hold types, or a table. */
const SHARED = ['deps.ts', 'config.ts', 'errors.ts'];

interface SourceFile {
  readonly path: string;
  /** The layer's folder, or '' for a file directly in src. */
  readonly layer: string;
  readonly text: string;
  readonly imports: readonly { readonly from: string; readonly isTypeOnly: boolean }[];
}

const files: readonly SourceFile[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .map(readSource);

function readSource(path: string): SourceFile {
  const text = readFileSync(join(SRC, path), 'utf8');
  const statements = text.matchAll(
    /(?:^|\n)(?:import|export)\s+(type\s)?[^;]*?from\s+'([^']+)'|import\('([^']+)'\)|(?:^|\n)import '([^']+)'/g,
  );
  const imports = [...statements].map(([, type, from, lazy, bare]) => ({
    from: from ?? lazy ?? bare ?? '',
    isTypeOnly: type !== undefined,
  }));
  return { path, layer: path.includes('/') ? (path.split('/')[0] ?? '') : '', text, imports };
}

/** Path within src that a relative import leads to. */
function target(file: SourceFile, from: string): string {
  return relative(SRC, resolve(SRC, dirname(file.path), from));
}

const withoutComments = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');

describe('the layers', () => {
  it('are these, and nothing else lies beside them', () => {
    expect(new Set(files.map((file) => file.layer))).toEqual(new Set(['', ...Object.keys(MAY_IMPORT)]));
  });

  it.each(files.filter((file) => file.layer !== '').map((file) => [file.path, file] as const))(
    '%s imports only what lies below it',
    (_path, file) => {
      const upward = file.imports
        .filter(({ from }) => from.startsWith('.'))
        .map(({ from }) => target(file, from))
        .filter((path) => {
          const layer = path.includes('/') ? (path.split('/')[0] ?? '') : '';
          if (layer === file.layer) return false;
          if (layer !== '') return !MAY_IMPORT[file.layer]?.includes(layer);
          return !SHARED.includes(path) || file.layer === 'domain';
        });
      expect(upward).toEqual([]);
    },
  );

  it.each(files.filter(({ layer }) => layer === 'domain').map((file) => [file.path, file] as const))(
    '%s does no I/O and reads no clock and no chance',
    (_path, file) => {
      expect(
        file.imports.filter(
          ({ from }) => !from.startsWith('.') && !from.startsWith('@extension-billing/contract/'),
        ),
      ).toEqual([]);
      expect(withoutComments(file.text)).not.toMatch(
        /Date\.now|new Date\(\s*\)|Math\.random|performance\.|crypto\.|process\.|fetch\(|setTimeout|console\./,
      );
    },
  );

  it('know the provider’s SDK only in provider, and as types elsewhere', () => {
    const outside = files.filter(
      ({ layer, imports }) =>
        layer !== 'provider' && imports.some(({ from, isTypeOnly }) => from === 'stripe' && !isTypeOnly),
    );
    expect(outside.map(({ path }) => path)).toEqual([]);
  });

  it('load the provider’s SDK only when it is needed', () => {
    const eager = files.filter(({ text }) => /(?:^|\n)import (?!type)[^;]*from 'stripe'/.test(text));
    expect(eager.map(({ path }) => path)).toEqual([]);
  });
});

describe('every file', () => {
  it('is reachable from index.ts', () => {
    const reached = new Set<string>();
    const visit = (path: string): void => {
      if (reached.has(path)) return;
      reached.add(path);
      const file = files.find((candidate) => candidate.path === path);
      for (const { from } of file?.imports ?? []) if (file && from.startsWith('.')) visit(target(file, from));
    };
    visit('index.ts');
    expect(files.map(({ path }) => path).filter((path) => !reached.has(path))).toEqual([]);
  });

  it('can be read without another that is read with it: no imports go in a circle', () => {
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (path: string, above: readonly string[]): void => {
      if (above.includes(path)) circles.push([...above.slice(above.indexOf(path)), path].join(' → '));
      const file = files.find((candidate) => candidate.path === path);
      if (file === undefined || done.has(path) || above.includes(path)) return;
      for (const { from } of file.imports)
        if (from.startsWith('.')) visit(target(file, from), [...above, path]);
      done.add(path);
    };
    for (const { path } of files) visit(path, []);
    expect(circles).toEqual([]);
  });

  it('says something of its own: none only passes on what others export', () => {
    const barrels = files.filter(({ text }) =>
      /(?:^|\n)export (?:\*|type \{[^}]*\} from|\{[^}]*\} from)/.test(text),
    );
    expect(barrels.map(({ path }) => path)).toEqual([]);
  });

  it('imports no test', () => {
    const testing = files.filter(({ imports }) => imports.some(({ from }) => /vitest|\/test\//.test(from)));
    expect(testing.map(({ path }) => path)).toEqual([]);
  });
});

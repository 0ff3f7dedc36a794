import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseAst } from 'vitest/node';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** What somebody imports or runs: everything else must be reached from here. */
const ENTRIES = ['src/main.ts', 'src/server.ts', 'src/control/client.ts'];

interface Import {
  readonly from: string;
  readonly isType: boolean;
}

/** Files of this package by path, with what each imports. */
const files = new Map<string, readonly Import[]>(
  globSync('{src,test}/**/*.{ts,js}', { cwd: ROOT })
    .filter((path) => !path.endsWith('.d.ts'))
    .map((path) => [path, importsOf(path)]),
);
const sources = [...files.keys()].filter((path) => path.startsWith('src/') && !path.endsWith('.test.ts'));

function importsOf(path: string): Import[] {
  const { body } = parseAst(readFileSync(join(ROOT, path), 'utf8'), {
    lang: path.endsWith('.js') ? 'js' : 'ts',
  });
  return body.flatMap((node) => {
    if (node.type === 'ImportDeclaration')
      return [{ from: node.source.value, isType: 'importKind' in node && node.importKind === 'type' }];
    return 'source' in node && node.source ? [{ from: String(node.source.value), isType: false }] : [];
  });
}

/** The files of this package that one imports: at run time alone, or with what only its types need. */
function targetsOf(path: string, withTypes: boolean): string[] {
  return (files.get(path) ?? [])
    .filter(({ from, isType }) => from.startsWith('.') && (withTypes || !isType))
    .map(({ from }) => normalize(join(dirname(path), from)));
}

function reachedFrom(path: string, reached = new Set<string>()): Set<string> {
  for (const target of targetsOf(path, true))
    if (!reached.has(target)) reachedFrom(target, reached.add(target));
  return reached;
}

const dependencies = new Set(
  Object.keys((JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Package).dependencies),
);
interface Package {
  readonly dependencies: Readonly<Record<string, string>>;
}

describe('the simulator', () => {
  it('imports its own files, what it depends on, and types of the SDK', () => {
    const foreign = sources.flatMap((path) =>
      (files.get(path) ?? [])
        .filter(({ from, isType }) => {
          if (from.startsWith('.'))
            return (
              !existsSync(join(ROOT, dirname(path), from)) ||
              normalize(join(dirname(path), from)).startsWith('..')
            );
          const name = from
            .split('/')
            .slice(0, from.startsWith('@') ? 2 : 1)
            .join('/');
          return !(from.startsWith('node:') || dependencies.has(name) || (isType && name === 'stripe'));
        })
        .map(({ from }) => `${path} imports ${from}`),
    );
    expect(foreign).toEqual([]);
  });

  it('is tested without the service, the contract and the tools around it', () => {
    const foreign = [...files].flatMap(([path, imports]) =>
      imports
        .filter(({ from }) =>
          /^@extension-billing\/|\/(functions|tools|extension|contract|client|cli)\//.test(from),
        )
        .map(({ from }) => `${path} imports ${from}`),
    );
    expect(foreign).toEqual([]);
  });

  it('has no file that goes round in a circle', () => {
    const round = sources.filter((path) => reachedFrom(path).has(path));
    expect(round).toEqual([]);
  });

  it('has no file that nobody reaches', () => {
    const reached = new Set(ENTRIES.flatMap((path) => [path, ...reachedFrom(path)]));
    const scripts = sources.filter((path) => path.startsWith('src/pages/') && path.endsWith('.js'));
    expect(sources.filter((path) => !reached.has(path) && !scripts.includes(path))).toEqual([]);
  });
});

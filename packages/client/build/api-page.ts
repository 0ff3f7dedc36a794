import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'vite';

/** What a door gives, as its declarations have it. */
export interface Export {
  readonly name: string;
  /** Its docstring, without its asterisks; null where there is none. */
  readonly doc: string | null;
  readonly declaration: string;
}
export interface Door {
  /** As in the package's exports: `./react`. */
  readonly name: string;
  /** The comment at the top of its file. */
  readonly doc: string;
  readonly exports: readonly Export[];
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly id?: { readonly name: string } | null;
  readonly declaration?: Node | null;
  readonly declarations?: readonly { readonly id: { readonly name: string } }[];
  readonly source?: { readonly value: string } | null;
  readonly exported?: { readonly name: string } | null;
  readonly specifiers?: readonly {
    readonly local: { readonly name: string };
    readonly exported?: { readonly name: string };
    readonly imported?: { readonly name: string };
  }[];
}
interface Module {
  readonly path: string;
  readonly text: string;
  readonly body: readonly Node[];
  readonly comments: readonly { readonly start: number; readonly end: number; readonly value: string }[];
}

/** @param types the folder of the package's declarations (emit-types.ts) */
export function readDoors(types: string): readonly Door[] {
  const modules = new Map<string, Module>();
  const load = (path: string): Module => {
    const known = modules.get(path);
    if (known !== undefined) return known;
    const text = readFileSync(path, 'utf8');
    const { program, comments } = parseSync(path, text);
    const module = { path, text, body: program.body as unknown as Node[], comments };
    modules.set(path, module);
    return module;
  };
  const next = ({ path }: Module, source: string): Module =>
    load(join(dirname(path), source.replace(/\.js$/, '.d.ts')));

  function find(module: Module, name: string, fromOutside: boolean): Export | null {
    for (const node of module.body) {
      const declared = node.declaration ?? node;
      if (namesOf(declared).includes(name)) return toExport(module, node, name);
      for (const { local, exported, imported } of node.specifiers ?? []) {
        if (exported?.name === name && node.type === 'ExportNamedDeclaration' && fromOutside) {
          return node.source
            ? find(next(module, node.source.value), local.name, true)
            : find(module, local.name, false);
        }
        if (imported !== undefined && local.name === name && node.source) {
          return find(next(module, node.source.value), imported.name, true);
        }
      }
      if (node.type === 'ExportAllDeclaration' && node.source) {
        const found = find(next(module, node.source.value), name, true);
        if (found !== null) return found;
      }
    }
    return null;
  }

  function exportedNames(module: Module): readonly string[] {
    return module.body.flatMap((node) => {
      if (node.type === 'ExportAllDeclaration' && node.source)
        return exportedNames(next(module, node.source.value));
      if (node.type !== 'ExportNamedDeclaration') return [];
      if (node.declaration) return namesOf(node.declaration);
      return (node.specifiers ?? []).map(({ exported }) => exported?.name ?? '');
    });
  }

  return readdirSync(join(types, 'exports'))
    .map((file) => ({ file, module: load(join(types, 'exports', file)) }))
    .map(({ file, module }) => ({
      name: `./${file.replace(/\.d\.ts$/, '').replace(/\.classic$/, '.classic.js')}`,
      doc: textOf(module.comments[0]?.value ?? ''),
      exports: [...new Set(exportedNames(module))].map((name) => {
        const found = find(module, name, true);
        if (found === null) throw new Error(`${file} exports ${name}, which is declared nowhere.`);
        return { ...found, name };
      }),
    }));
}

const namesOf = ({ id, declarations = [] }: Node): readonly string[] =>
  id ? [id.name] : declarations.map((declared) => declared.id.name);

function toExport({ text, comments }: Module, node: Node, name: string): Export {
  const before = comments.findLast(
    ({ end, value }) =>
      value.startsWith('*') && end <= node.start && text.slice(end, node.start).trim() === '',
  );
  return {
    name,
    doc: before === undefined ? null : textOf(before.value),
    declaration: text.slice(node.start, node.end).replace(/^export (?:declare )?/, ''),
  };
}

const textOf = (comment: string): string =>
  comment
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, ''))
    .join('\n')
    .trim();

/** The page of the client's API: each door, each of its exports with what it promises and how it is declared. */
export function apiPage(doors: readonly Door[]): string {
  const told = new Map<Export['declaration'], string>();
  const parts = doors.map((door) => {
    const exports = door.exports.map((given) => {
      const first = told.get(`${given.name} ${given.declaration}`);
      if (first !== undefined)
        return `### \`${given.name}\` of \`${door.name}\`\n\nThe same as in \`${first}\`.`;
      told.set(`${given.name} ${given.declaration}`, door.name);
      const doc = (given.doc ?? '').replaceAll(/^@(\w+)/gm, '\n*$1*:').trim();
      return `### \`${given.name}\`\n\n${doc}\n\n\`\`\`ts\n${given.declaration}\n\`\`\``;
    });
    return [`## \`${door.name}\``, door.doc, ...exports].join('\n\n');
  });
  const list = doors.map(
    ({ name, exports }) =>
      `- \`${name}\`: ${exports.map((given) => `\`${given.name}\``).join(', ') || 'no exports'}`,
  );
  return `${[HEAD, list.join('\n'), ...parts].join('\n\n')}\n`;
}

const HEAD = `# The client's API

Generated from the package's declarations by its build. [The changelog](../CHANGELOG.md) says which changes of it make a
major, minor or patch version.`;

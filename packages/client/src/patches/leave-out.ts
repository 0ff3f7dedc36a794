/** What of a module is left out, by the names of its top-level functions and classes. */
export interface LeftOut {
  /** Why nothing here runs it. */
  readonly why: string;
  /** `name` of a function; `Class.method`; `Class.*` for every method but the constructor and those of other rows. */
  readonly names: readonly string[];
  /** What stands in the body instead. Without it a function throws, and a method is not there. */
  readonly instead?: string;
}

/** The parts of an ESTree node that are read here. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly id?: { readonly name: string } | null;
  readonly declaration?: Node | null;
  readonly body?: Node | readonly Node[];
  readonly key?: { readonly name?: string };
  readonly kind?: string;
  readonly value?: { readonly body?: Node };
}
export type Program = { readonly body: readonly unknown[] };

interface Cut {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Cuts a module's text. By its tree and not by patterns: a name that a new version no longer has is reported, and what
 * is left can be parsed.
 *
 * @returns the text, and the names that the module does not have.
 */
export function leaveOut(
  code: string,
  program: Program,
  rows: readonly LeftOut[],
): { readonly code: string; readonly missing: readonly string[] } {
  const declared = new Map(
    (program.body as readonly Node[]).flatMap((node) => {
      const declaration = node.declaration ?? node;
      return declaration.id ? [[declaration.id.name, declaration] as const] : [];
    }),
  );
  const named = new Set(rows.flatMap(({ names }) => names));
  const missing: string[] = [];
  const cuts = rows.flatMap(({ names, instead }) =>
    names.flatMap((name) => {
      const found = cutsOf(name, instead, declared, named);
      if (found.length === 0) missing.push(name);
      return found;
    }),
  );
  const inOrder = cuts.toSorted((a, b) => b.start - a.start);
  const left = inOrder.reduce(
    (text, { start, end, text: put }) => text.slice(0, start) + put + text.slice(end),
    code,
  );
  return { code: left, missing };
}

function cutsOf(
  name: string,
  instead: string | undefined,
  declared: ReadonlyMap<string, Node>,
  named: ReadonlySet<string>,
): readonly Cut[] {
  const [outer = '', method] = name.split('.');
  const declaration = declared.get(outer);
  if (declaration === undefined) return [];
  if (method === undefined) {
    const body = declaration.body as Node | undefined;
    return body?.type === 'BlockStatement'
      ? [bodyOf(body, instead ?? `throw Error('${name} is left out')`)]
      : [];
  }
  const members = ((declaration.body as Node | undefined)?.body ?? []) as readonly Node[];
  return members
    .filter(({ type }) => type === 'MethodDefinition')
    .filter(({ key, kind }) =>
      method === '*'
        ? kind === 'method' && !named.has(`${outer}.${key?.name}`)
        : key?.name === method || (method === 'constructor' && kind === 'constructor'),
    )
    .flatMap((member) => {
      if (instead === undefined) return [{ start: member.start, end: member.end, text: '' }];
      return member.value?.body ? [bodyOf(member.value.body, instead)] : [];
    });
}

const bodyOf = ({ start, end }: Node, statements: string): Cut => ({ start, end, text: `{ ${statements} }` });

import { parseSync } from 'vite';

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/** Types within which a `| undefined` behind them would be read. */
const BINDS_LESS = new Set(['TSFunctionType', 'TSConstructorType', 'TSConditionalType', 'TSInferType']);

/**
 * Lets every optional property of a declaration file be `undefined` too, as whoever compiles without
 * `exactOptionalPropertyTypes` may write anyway: `{ returnOrigin: process.env.ORIGIN }` compiles then in both modes, and
 * what the package does with it is the same.
 */
export function widenOptional(declarations: string): string {
  const { program, errors } = parseSync('declarations.d.ts', declarations);
  if (errors.length > 0) throw new Error(`A declaration cannot be read: ${errors[0]?.message}`);
  const types = [...optionalTypes(program)].toSorted((a, b) => a.start - b.start);
  // From the inside out, one within another alike.
  let widened = '';
  let at = 0;
  const open: Node[] = [];
  const close = (before: number): void => {
    for (let type = open.at(-1); type !== undefined && type.end <= before; type = open.at(-1)) {
      widened += `${declarations.slice(at, type.end)}${BINDS_LESS.has(type.type) ? ')' : ''} | undefined`;
      at = type.end;
      open.pop();
    }
  };
  for (const type of types) {
    close(type.start);
    widened += `${declarations.slice(at, type.start)}${BINDS_LESS.has(type.type) ? '(' : ''}`;
    at = type.start;
    open.push(type);
  }
  close(declarations.length);
  return widened + declarations.slice(at);
}

/** The types of all optional properties in a tree, but of those that say `undefined` or `never` already. */
function* optionalTypes(node: unknown): Iterable<Node> {
  if (typeof node !== 'object' || node === null) return;
  if (isOptionalProperty(node)) {
    const type = node.type === 'TSMappedType' ? node.typeAnnotation : inner(node.typeAnnotation);
    if (isNode(type) && !isUndefined(type)) yield type;
  }
  for (const child of Object.values(node)) yield* optionalTypes(child);
}

function isOptionalProperty(
  node: object,
): node is { readonly type: string; readonly typeAnnotation?: unknown } {
  return (
    'type' in node &&
    ['TSPropertySignature', 'PropertyDefinition', 'TSMappedType'].includes(String(node.type)) &&
    'optional' in node &&
    node.optional === true
  );
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value && 'end' in value;
const inner = (annotation: unknown): unknown =>
  isNode(annotation) && 'typeAnnotation' in annotation ? annotation.typeAnnotation : annotation;
const isUndefined = (type: Node): boolean =>
  type.type === 'TSUndefinedKeyword' ||
  (type.type === 'TSUnionType' && 'types' in type && (type.types as readonly Node[]).some(isUndefined));

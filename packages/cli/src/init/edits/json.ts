import {
  createScanner,
  findNodeAtLocation,
  type JSONPath,
  type Node,
  type ParseError,
  parse,
  parseTree,
} from 'jsonc-parser';

const LOOSE = { allowTrailingComma: true };

/** JSON as manifests and tsconfig files have it: with comments and a comma too many. Undefined where it is not that. */
export function parseJson(text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parse(withoutMark(text), errors, LOOSE);
  return errors.length > 0 ? undefined : value;
}

/** Sets a value of an object, in the file's own indentation and line ends; every other byte stays. */
export function setJson(text: string, path: JSONPath, value: unknown): string {
  return marked(text, (json) => {
    const tree = parseTree(json, [], LOOSE);
    const there = tree === undefined ? undefined : findNodeAtLocation(tree, path);
    if (there !== undefined) return replaced(json, there, written(json, value, indentAt(json, there.offset)));
    const above = path.slice(0, -1);
    const key = String(path.at(-1));
    const parent = tree === undefined ? undefined : findNodeAtLocation(tree, above);
    if (parent?.type !== 'object') {
      if (above.length === 0) throw new Error('What is edited is no JSON object.');
      return setJson(json, above, { [key]: value });
    }
    return withItem(json, parent, (indent) => `${JSON.stringify(key)}: ${written(json, value, indent)}`);
  });
}

/** Adds to a list, or makes it, what is not in it yet. A list on one line stays on one. */
export function addToJsonList(text: string, path: JSONPath, values: readonly string[]): string {
  return marked(text, (json) => {
    const list = (source: string): Node | undefined => {
      const tree = parseTree(source, [], LOOSE);
      return tree === undefined ? undefined : findNodeAtLocation(tree, path);
    };
    const there = list(json);
    if (there?.type !== 'array') return setJson(json, path, values);
    const known = (there.children ?? []).map(({ value }) => value as unknown);
    return values
      .filter((value) => !known.includes(value))
      .reduce((result, value) => {
        const grown = list(result);
        return grown === undefined ? result : withItem(result, grown, () => JSON.stringify(value));
      }, json);
  });
}

/** An object or a list with one more item at its end, on the same line where it has but one. */
function withItem(json: string, parent: Node, item: (indent: string) => string): string {
  const last = parent.children?.at(-1);
  const whole = json.slice(parent.offset, parent.offset + parent.length);
  const outer = indentAt(json, parent.offset);
  if (last === undefined) {
    const [open = '', close = ''] = [whole[0], whole.at(-1)];
    const inner = outer + unitOf(json);
    const end = endOf(json);
    // What stands in it is a comment, or nothing.
    const inside = whole.slice(1, -1).trimEnd();
    return replaced(json, parent, `${open}${inside}${end}${inner}${item(inner)}${end}${outer}${close}`);
  }
  const after = last.offset + last.length;
  if (!whole.includes('\n')) return `${json.slice(0, after)}, ${item(outer)}${json.slice(after)}`;
  const indent = indentAt(json, last.offset);
  const comma = commaBehind(json, after);
  const from = comma ?? after;
  // A comment behind the last item, on its line, is of that item.
  const comment = /^[^\S\n]*\/\/[^\r\n]*/.exec(json.slice(from))?.[0].length ?? 0;
  const line = `${endOf(json)}${indent}${item(indent)}${comma === null ? '' : ','}`;
  const before = comma === null ? `${json.slice(0, after)},` : json.slice(0, comma);
  return `${before}${json.slice(from, from + comment)}${line}${json.slice(from + comment)}`;
}

/** Where a comma behind an item ends; null where there is none. */
function commaBehind(json: string, after: number): number | null {
  const scanner = createScanner(json, true);
  scanner.setPosition(after);
  scanner.scan();
  return json[scanner.getTokenOffset()] === ',' ? scanner.getPosition() : null;
}

function replaced(json: string, { offset, length }: Node, text: string): string {
  return json.slice(0, offset) + text + json.slice(offset + length);
}

function written(json: string, value: unknown, indent: string): string {
  return JSON.stringify(value, null, unitOf(json)).replaceAll('\n', endOf(json) + indent);
}

const endOf = (json: string): string => (json.includes('\r\n') ? '\r\n' : '\n');
/** What one step of indentation is in this file. */
const unitOf = (json: string): string => /\n([ \t]+)\S/.exec(json)?.[1] ?? '  ';
/** The white space at the start of a place's line. */
const indentAt = (json: string, offset: number): string =>
  /^[ \t]*/.exec(json.slice(json.lastIndexOf('\n', offset - 1) + 1))?.[0] ?? '';

const MARK = '\uFEFF';
const withoutMark = (text: string): string => (text.startsWith(MARK) ? text.slice(1) : text);
function marked(text: string, change: (json: string) => string): string {
  return (text.startsWith(MARK) ? MARK : '') + change(withoutMark(text));
}

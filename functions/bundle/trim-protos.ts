import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

/** A node of protobufjs' JSON: a namespace, a message, an enum or a service, and what lies in it. */
interface Node {
  readonly nested?: Readonly<Record<string, Node>>;
  readonly fields?: Readonly<Record<string, { readonly type: string; readonly keyType?: string }>>;
  readonly methods?: Readonly<
    Record<string, { readonly requestType: string; readonly responseType: string }>
  >;
  readonly values?: object;
}

/** Files of message descriptions, and the services of each that a client is made for. */
const TRIMMED: readonly { readonly file: RegExp; readonly services: readonly string[] }[] = [
  { file: /firestore-api\/build\/protos\/protos\.json$/, services: ['google.firestore.v1.Firestore'] },
  { file: /google-gax\/build\/protos\/locations\.json$/, services: ['google.cloud.location.Locations'] },
];

/**
 * Keeps of a description of messages what its service sends and receives. The client builds every message of the
 * file at its first call, and two thirds of Firestore's file describe the making of databases and protobuf itself.
 * A message that went missing would fail the build: warm-up.ts makes the client.
 */
export const trimProtos: Plugin = {
  name: 'trim-protos',
  setup(build) {
    for (const { file, services } of TRIMMED) {
      build.onLoad({ filter: file }, ({ path }) => ({
        contents: JSON.stringify(trim(JSON.parse(readFileSync(path, 'utf8')), services)),
        loader: 'json',
      }));
    }
  },
};

/** The same tree with only the services, and the messages and enums that they lead to. */
export function trim(root: Node, services: readonly string[]): Node {
  const kept = new Set<string>();
  const visit = (name: string): void => {
    if (kept.has(name)) return;
    kept.add(name);
    for (const [type, scope] of typesOf(find(root, name), name)) {
      const found = resolve(root, type, scope);
      if (found !== null) visit(outermost(root, found));
    }
  };
  for (const service of services) visit(service);
  return prune(root, '', kept);
}

/** Every type that a node and what lies in it names, with the scope that it is named in. */
function typesOf(node: Node | undefined, name: string): readonly (readonly [type: string, scope: string])[] {
  if (node === undefined) throw new Error(`nothing is called ${name}`);
  const own = [
    ...Object.values(node.fields ?? {}).map(({ type }) => type),
    ...Object.values(node.methods ?? {}).flatMap(({ requestType, responseType }) => [
      requestType,
      responseType,
    ]),
  ].map((type) => [type, name] as const);
  const inner = Object.entries(node.nested ?? {}).flatMap(([key, child]) => typesOf(child, `${name}.${key}`));
  return [...own, ...inner];
}

/** The full name of a type as protobuf finds it: in the scope, then in each around it; null for `string` and so on. */
function resolve(root: Node, type: string, scope: string): string | null {
  for (let at = scope; ; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
    const name = at === '' ? type : `${at}.${type}`;
    if (isType(find(root, name))) return name;
    if (at === '') return null;
  }
}

/** The message that a nested one lies in: kept whole. */
function outermost(root: Node, name: string): string {
  const parts = name.split('.');
  const depth = parts.findIndex((_, at) => isType(find(root, parts.slice(0, at + 1).join('.'))));
  return parts.slice(0, depth + 1).join('.');
}

function find(root: Node, name: string): Node | undefined {
  return name.split('.').reduce<Node | undefined>((node, part) => node?.nested?.[part], root);
}

function isType(node: Node | undefined): boolean {
  return node?.fields !== undefined || node?.values !== undefined || node?.methods !== undefined;
}

function prune(node: Node, name: string, kept: ReadonlySet<string>): Node {
  if (kept.has(name) || node.nested === undefined) return node;
  const children = Object.entries(node.nested)
    .map(([key, child]) => [key, child, name === '' ? key : `${name}.${key}`] as const)
    .filter(([, , full]) => [...kept].some((keep) => keep === full || keep.startsWith(`${full}.`)))
    .map(([key, child, full]) => [key, prune(child, full, kept)] as const);
  return { ...node, nested: Object.fromEntries(children) };
}

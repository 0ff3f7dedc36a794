import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ESTree, parseSync, Visitor } from 'vite';
import type { QueryShape } from './query-shape.ts';

/** A place in the sources that makes a part of a query out of a field. */
export interface QuerySite {
  readonly place: string;
  readonly part: 'where' | 'orderBy' | 'aggregate';
  /** Null where the field is no text in the source: then nobody can say which index it needs. */
  readonly field: string | null;
}

/** What is deployed, what an owner runs, and what users have in their browsers. */
const FOLDERS = ['functions/src', 'packages', 'tools', 'extension/src', 'examples'];
const IS_SOURCE = /\.tsx?$/;
const IS_TEST = /\.test\.tsx?$|(^|\/)(node_modules|dist|generated)\//;

const IS_FIRESTORE =
  /^(firebase-admin\/firestore|firebase\/firestore(\/lite)?|@google-cloud\/firestore)$|\/store\/documents\.ts$/;

/** Every place in a checkout's sources where a query is narrowed, ordered or added up by a field. */
export function querySites(root: string): readonly QuerySite[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => IS_SOURCE.test(path) && !IS_TEST.test(path))
      .flatMap((path) => sitesIn(`${folder}/${path}`, readFileSync(join(root, folder, path), 'utf8'))),
  );
}

export function sitesIn(path: string, text: string): readonly QuerySite[] {
  const { program, module } = parseSync(path, text);
  // Other things are summed and ordered too: only a file that knows Firestore, or its paths, makes a query.
  if (!module.staticImports.some(({ moduleRequest }) => IS_FIRESTORE.test(moduleRequest.value))) return [];
  const sites: QuerySite[] = [];
  new Visitor({
    CallExpression({ callee, arguments: [field], start }) {
      const part = partOf(callee);
      if (part === null || field === undefined || isDocumentId(field)) return;
      const line = text.slice(0, start).split('\n').length;
      const isText = field.type === 'Literal' && typeof field.value === 'string';
      sites.push({ place: `${path}:${line}`, part, field: isText ? String(field.value) : null });
    },
  }).visit(program);
  return sites;
}

/** What a call makes of a query: `query.where(…)`, `where(…)`, `AggregateField.sum(…)`; null for any other call. */
function partOf(callee: ESTree.Expression): QuerySite['part'] | null {
  const name = nameOf(callee);
  if (name === 'where' || name === 'orderBy') return name;
  const isAggregate = callee.type === 'MemberExpression' && nameOf(callee.object) === 'AggregateField';
  return isAggregate && (name === 'sum' || name === 'average') ? 'aggregate' : null;
}

function nameOf(expression: ESTree.Expression): string | null {
  if (expression.type === 'Identifier') return expression.name;
  if (expression.type !== 'MemberExpression' || expression.property.type !== 'Identifier') return null;
  return expression.property.name;
}

/** Documents have an index by their names without anybody's doing. */
function isDocumentId(field: ESTree.Argument): boolean {
  return field.type === 'CallExpression' && nameOf(field.callee) === 'documentId';
}

/** Whether one of the queries that were sent has this part. */
export function isReached({ part, field }: QuerySite, shapes: Iterable<QueryShape>): boolean {
  for (const { filters, orders, aggregated } of shapes) {
    const fields: Readonly<Record<QuerySite['part'], readonly string[]>> = {
      where: filters.map((filter) => filter.field),
      orderBy: orders.map((order) => order.field),
      aggregate: aggregated,
    };
    if (field !== null && fields[part].includes(field)) return true;
  }
  return false;
}

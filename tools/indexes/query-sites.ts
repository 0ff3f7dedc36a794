import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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

const CALL =
  /\b(where|orderBy|sum|average)\(\s*(?:'([^']+)'|"([^"]+)"|(FieldPath\.documentId\(\)|documentId\(\))|([\w.[\]]+))/g;
const FROM_FIRESTORE =
  /from '(?:firebase-admin\/firestore|firebase\/firestore(?:\/lite)?|@google-cloud\/firestore)'/;

/** Every place in a checkout's sources where a query is narrowed, ordered or added up by a field. */
export function querySites(root: string): readonly QuerySite[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => IS_SOURCE.test(path) && !IS_TEST.test(path))
      .flatMap((path) => sitesIn(`${folder}/${path}`, readFileSync(join(root, folder, path), 'utf8'))),
  );
}

export function sitesIn(path: string, text: string): readonly QuerySite[] {
  const source = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, (comment) => comment.replaceAll(/[^\n]/g, ' '));
  // Other things are summed and ordered too: only a file that knows Firestore, or its paths, makes a query.
  if (!FROM_FIRESTORE.test(source) && !source.includes('store/paths.ts')) return [];
  return [...source.matchAll(CALL)].flatMap((match): QuerySite[] => {
    const [, call = '', single, double, id] = match;
    const isMethod = source[match.index - 1] === '.';
    if ((call === 'sum' || call === 'average') && !source.slice(0, match.index).endsWith('AggregateField.'))
      return [];
    if (id !== undefined) return [];
    if (!isMethod && !FROM_FIRESTORE.test(source)) return [];
    const line = source.slice(0, match.index).split('\n').length;
    const part = call === 'where' || call === 'orderBy' ? call : 'aggregate';
    return [{ place: `${path}:${line}`, part, field: single ?? double ?? null }];
  });
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

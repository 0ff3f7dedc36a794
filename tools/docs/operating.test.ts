import { globSync, readFileSync } from 'node:fs';
import type { Firestore } from 'firebase-admin/firestore';
import { expect, it } from 'vitest';
import { LOG_EVENTS } from '../../functions/src/log.ts';
import { paths, type Uid } from '../../functions/src/store/documents.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const page = read('docs/operating.md');
const [logs = ''] = /^## Log lines$[\s\S]*?(?=^## )/m.exec(page) ?? [];

/** The cells of every table row that begins with a name in backticks. */
const rowsOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.slice(2, -2).split(' | '));
const namesIn = (cell = '') => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name);

it('names every log line with its severities and fields, and no other', () => {
  const documented = rowsOf(logs).map(([event = '', severities = '', fields]) => [
    event.replaceAll('`', ''),
    { severities: severities.trim().split(', '), fields: namesIn(fields) },
  ]);
  expect(Object.fromEntries(documented)).toEqual(LOG_EVENTS);
});

it('says of every log line what it means and what to do', () => {
  const silent = rowsOf(logs).filter(
    (row) => row.length !== 5 || row.slice(3).some((cell) => cell.length < 8),
  );
  expect(silent).toEqual([]);
});

it('has no line that the code never writes', () => {
  const code = globSync('functions/src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] })
    .filter((path) => !path.endsWith('src/log.ts'))
    .map((path) => read(path))
    .join('\n');
  expect(Object.keys(LOG_EVENTS).filter((event) => !code.includes(`'${event}'`))).toEqual([]);
});

it('alerts on lines that exist', () => {
  const [alerts = ''] = /^## Alerts$[\s\S]*?(?=^## )/m.exec(page) ?? [];
  const named = [...alerts.matchAll(/jsonPayload\.event=(\([^)]*\)|\\?"\w+\\?")/g)].flatMap(
    ([, events = '']) => [...events.matchAll(/"(\w+)\\?"/g)].map(([, event = '']) => event),
  );
  expect(named.length).toBeGreaterThanOrEqual(12);
  expect(named.filter((event) => !(event in LOG_EVENTS))).toEqual([]);
  const [policy = ''] = /(?<=```json alert-policy\.json\n)[\s\S]*?(?=```)/.exec(alerts) ?? [];
  expect(JSON.parse(policy)).toMatchObject({ displayName: 'billing_faults' });
});

it('says of every collection how long it is kept, and expires by TTL those that may go, and no other', () => {
  const [retention = ''] = /^## Retention$[\s\S]*/m.exec(page) ?? [];
  const kept = rowsOf(retention).map(([where = '', , , by = '']) => [namesIn(where)[0], by] as const);
  const asText = { doc: (path: string) => path, collection: (path: string) => path } as unknown as Firestore;
  const stored = Object.values(paths)
    .map((pathOf) => String(pathOf(asText, 'some' as Uid, 'one')).split('/'))
    .map((parts) => parts.filter((_, at) => at % 2 === 0).at(-1))
    .filter((name, index, all) => all.indexOf(name) === index);
  expect(stored.length).toBeGreaterThanOrEqual(5);
  expect(kept.map(([name]) => name)).toEqual(expect.arrayContaining(stored));

  const { fieldOverrides } = JSON.parse(read('firestore.indexes.json'));
  const expiring = fieldOverrides
    .filter(({ ttl }: { ttl?: boolean }) => ttl === true)
    .map(({ collectionGroup }: { collectionGroup: string }) => collectionGroup);
  const promised = kept.filter(([, by]) => by.startsWith('a TTL policy')).map(([name]) => name);
  expect(promised.toSorted()).toEqual(expiring.toSorted());
});

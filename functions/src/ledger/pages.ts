import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { RollableEntry } from '@extension-billing/contract/ledger';
import { sumOf } from '@extension-billing/contract/ledger';
import {
  encodeLedgerPage,
  type LedgerPage,
  PAGE_FORM,
  readEntries,
  readLedgerPage,
  type TimeRange,
  writeEntries,
} from '@extension-billing/contract/ledger-pages';
import type { DocumentData, DocumentSnapshot } from 'firebase-admin/firestore';

import { toTimestamp } from '../store/documents.ts';

// A page of a ledger as Firestore holds it: entries compressed, with what can be told without opening it beside them.

/** Of a page's compressed entries: a few thousand entries, a quarter of what one document may hold. */
const MAX_PAGE_BYTES = 256 * 1024;

/** Of one that a reader unpacks: more than entries of that many bytes ever come to. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024;

/**
 * What the compression takes for granted: most of it, where a month has few entries. Pages of form 1 are read with this
 * very text, so it never changes.
 */
const DICTIONARY = Buffer.from(
  '"receipt":[{"label":"","lines":[{"unit":"input_tokens","quantity":1000,"credits":1,"per":1000},{"unit":"output_tokens"' +
    '"by":["key:","account:","process:"],"held":[null,null,null],"limited":[null,null,null],"shortfall":[null,null,null],' +
    '"granted":[0],"expiresAt":[17,null,null,null],"release","expiry","period","confirm","reserve",' +
    '{"id":["period_17","settle_","reserve_","consume_","consume_"],"kind":["consume","consume"],"feature":["demo","demo"],' +
    '"cost":[1,1,1],"outcome":["granted","granted"],"deltaAllowance":[-1,-1,-1],"deltaPack":[0,0,0],"allowance":[0,999],' +
    '"packCredits":[0,0,100],"createdAt":[17],"correlationId":["',
);

/** Every instant. */
export const ALL_TIME: TimeRange = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/**
 * Entries as pages, in their order: one where they fit into one.
 *
 * @param entries at least one, in their order
 */
export function packPages(
  entries: readonly RollableEntry[],
  maxBytes = MAX_PAGE_BYTES,
): readonly LedgerPage[] {
  const bytes = deflateRawSync(writeEntries(entries), { level: 9, dictionary: DICTIONARY });
  if (bytes.length > maxBytes && entries.length > 1) {
    const half = Math.ceil(entries.length / 2);
    return [...packPages(entries.slice(0, half), maxBytes), ...packPages(entries.slice(half), maxBytes)];
  }
  const moved = sumOf(entries);
  const times = entries.map(({ createdAt }) => createdAt);
  return [
    {
      form: PAGE_FORM,
      from: times.reduce((a, b) => Math.min(a, b)),
      to: times.reduce((a, b) => Math.max(a, b)),
      count: entries.length,
      deltaAllowance: moved.allowance,
      deltaPack: moved.packs,
      entries: bytes,
    },
  ];
}

/** The entries of a page, in their order: those of a range, `to` excluded. @throws where it is damaged, or of another form */
export function unpackPage(page: LedgerPage, range: TimeRange = ALL_TIME): readonly RollableEntry[] {
  if (page.form !== PAGE_FORM) throw new Error(`a page of a ledger has form ${page.form}`);
  const text = inflateRawSync(page.entries, { dictionary: DICTIONARY, maxOutputLength: MAX_TEXT_BYTES });
  return readEntries(text.toString(), range);
}

export function toPageDocument(page: LedgerPage): DocumentData {
  return encodeLedgerPage(page, toTimestamp);
}

/** @throws where the document is no page: its entries are nowhere else */
export function pageIn(snapshot: DocumentSnapshot): LedgerPage {
  const page = readLedgerPage(snapshot.data());
  if (page === null) throw new Error(`a page of a ledger is missing or damaged: ${snapshot.ref.id}`);
  return page;
}

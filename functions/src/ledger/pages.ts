import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { RollableEntry } from '@extension-billing/contract/ledger';
import {
  ALL_TIME,
  type LedgerPage,
  readEntries,
  readLedgerPage,
  type Wanted,
  writeEntries,
} from '@extension-billing/contract/ledger-pages';
import type { DocumentSnapshot } from 'firebase-admin/firestore';

// Old entries as Firestore holds them, in a page or in the entry `rolled`: compressed, in few bytes also where they are few.

/** Of a page's packed entries: some three thousand, which are unpacked in ten milliseconds. */
export const MAX_PAGE_BYTES = 128 * 1024;

/** Of the ones in no page yet: some hundred and fifty. They are read with the entry `rolled`, and written with it. */
export const MAX_OPEN_BYTES = 8 * 1024;

/** Of one that a reader unpacks: more than entries of that many bytes ever come to. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024;

/** The first byte: how the others are to be read. */
const FORM = 1;

/** A UUID, of which a request has two: 16 bytes that nothing compresses. They stand behind the text, and in it a mark. */
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const UUID_BYTES = 16;
/** What no JSON text has: a string in it has this character escaped. */
const MARK = '\0';

/**
 * What the compression takes for granted: most of the text, where entries are few. Form 1 is read with this very text, so
 * it never changes.
 */
const DICTIONARY = Buffer.from(
  '"receipt":[{"label":"","lines":[{"unit":"input_tokens","quantity":1000,"credits":1,"per":1000},{"unit":"output_tokens"' +
    '"by":["key:","account:","process:"],"held":[null,null,null],"limited":[null,null,null],"shortfall":[null,null,null],' +
    '"granted":[0],"expiresAt":[17,null,null,null],"release","expiry","period","confirm","reserve",' +
    '{"id":["period_17","settle_MARK","reserve_MARK","consume_MARK","consume_MARK"],"kind":["consume","consume"],' +
    '"feature":["demo","demo"],"cost":[1,1,1],"outcome":["granted","granted"],"deltaAllowance":[-1,-1,-1],"deltaPack":[0,0,0],' +
    '"packCredits":[0,0,100],"allowance":[0,999],"correlationId":["MARK","MARK"],"createdAt":[1' +
    '{"id":["consume_MARK"],"kind":["consume"],"feature":["demo"],"cost":[1],"outcome":["granted"],"deltaAllowance":[-1],' +
    '"deltaPack":[0],"packCredits":[0],"allowance":[9],"correlationId":["MARK"],"createdAt":[1'.replaceAll(
      'MARK',
      MARK,
    ),
);

/** No entries are no bytes. @param entries in their order */
export function packEntries(entries: readonly RollableEntry[]): LedgerPage['entries'] {
  if (entries.length === 0) return new Uint8Array();
  const uuids: string[] = [];
  const text = writeEntries(entries).replace(UUID, (uuid) => {
    uuids.push(uuid.replaceAll('-', ''));
    return MARK;
  });
  const deflated = deflateRawSync(text, { level: 9, dictionary: DICTIONARY });
  return Buffer.concat([Buffer.of(FORM), deflated, Buffer.from(uuids.join(''), 'hex')]);
}

/** The entries that are wanted, in their order. @throws where the bytes are damaged, or of another form */
export function unpackEntries(bytes: Uint8Array, wanted: Wanted = ALL_TIME): readonly RollableEntry[] {
  if (bytes.length === 0) return [];
  if (bytes[0] !== FORM) throw new Error(`old entries of a ledger have form ${bytes[0]}`);
  const packed = Buffer.from(bytes.buffer, bytes.byteOffset + 1, bytes.length - 1);
  // The compressed text says itself where it ends.
  const text = inflateRawSync(packed, { dictionary: DICTIONARY, maxOutputLength: MAX_TEXT_BYTES }).toString();
  const marks = text.split(MARK).length - 1;
  let at = packed.length - marks * UUID_BYTES;
  if (at < 0) throw new Error('old entries of a ledger lack some of their bytes');
  const whole = text.replaceAll(MARK, () => {
    const uuid = packed.toString('hex', at, at + UUID_BYTES);
    at += UUID_BYTES;
    return uuid.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  });
  return readEntries(whole, wanted);
}

/** What is to be written as one page. */
export interface PackedPage {
  readonly entries: readonly RollableEntry[];
  readonly bytes: LedgerPage['entries'];
}

/**
 * Entries as pages, in their order: one where they fit into one.
 *
 * @param entries at least one, in their order
 */
export function packPages(
  entries: readonly RollableEntry[],
  maxBytes = MAX_PAGE_BYTES,
): readonly PackedPage[] {
  const bytes = packEntries(entries);
  if (bytes.length <= maxBytes || entries.length === 1) return [{ entries, bytes }];
  const half = Math.ceil(entries.length / 2);
  return [...packPages(entries.slice(0, half), maxBytes), ...packPages(entries.slice(half), maxBytes)];
}

/** @throws where the document is no page: its entries are nowhere else */
export function pageIn(snapshot: DocumentSnapshot): LedgerPage {
  const page = readLedgerPage(snapshot.data());
  if (page === null) throw new Error(`a page of a ledger is missing or damaged: ${snapshot.ref.id}`);
  return page;
}

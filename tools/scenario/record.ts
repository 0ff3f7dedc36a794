import type { SuiteAddresses } from '../../packages/cli/src/local/suite.ts';

/** A field's value as Firestore's REST interface writes it. */
export type Field =
  | { stringValue: string }
  | { integerValue: string }
  | { booleanValue: boolean }
  | { timestampValue: string }
  | { nullValue: null };

export type RecordField = string | number | boolean | null;

/** `customers/{uid}` read past the rules, as an administrator would; null while there is none. Times are ISO texts. */
export async function readRecord(
  suite: SuiteAddresses,
  uid: string,
): Promise<Record<string, RecordField> | null> {
  const path = `v1/projects/${suite.project}/databases/(default)/documents/customers/${uid}`;
  const response = await fetch(`http://${suite.firestoreEmulator}/${path}`, {
    headers: { authorization: 'Bearer owner' },
  });
  if (response.status === 404) return null;
  if (!response.ok) throw new Error(`Firestore answered ${response.status} for customers/${uid}.`);
  const { fields = {} } = (await response.json()) as { fields?: Record<string, Field> };
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, plain(field)]));
}

export function plain(field: Field): RecordField {
  if ('integerValue' in field) return Number(field.integerValue);
  if ('stringValue' in field) return field.stringValue;
  if ('booleanValue' in field) return field.booleanValue;
  if ('timestampValue' in field) return field.timestampValue;
  return null;
}

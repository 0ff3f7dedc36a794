import * as v from 'valibot';

/** How the contract uses valibot, and what documents of Firestore need beside it. */

export type DeepReadonly<T> = T extends Uint8Array
  ? T
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;
/** What a schema reads, with its optional fields absent rather than undefined. */
export type Output<Schema extends v.GenericSchema> = DeepReadonly<Present<v.InferOutput<Schema>>>;
/** What a sender has to say. */
export type Input<Schema extends v.GenericSchema> = DeepReadonly<Present<v.InferInput<Schema>>>;
type Present<T> = T extends Uint8Array
  ? T
  : T extends readonly unknown[]
    ? PresentItems<T>
    : T extends object
      ? PresentFields<T>
      : T;
type PresentFields<T> = { [K in keyof T]: Present<Exclude<T[K], undefined>> };
type PresentItems<T extends readonly unknown[]> = { [K in keyof T]: Present<T[K]> };

/** Whether two types are the same, optional members and all: being assignable to one another is not enough. */
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** A line that the compiler refuses where its argument is not true. */
export type Holds<Statement extends true> = Statement;

/** The Timestamp of whichever Firestore SDK. */
export interface Stamp {
  toMillis(): number;
}
const AnyStamp = v.custom<Stamp>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    'toMillis' in value &&
    typeof value.toMillis === 'function',
);
/** A Timestamp in the document, milliseconds since the epoch in code. */
export const Instant = v.pipe(
  AnyStamp,
  v.transform((stamp) => stamp.toMillis()),
);

/** A field that may be missing; one of another type counts as missing, too. */
export function optional<const Schema extends v.GenericSchema>(schema: Schema) {
  return v.fallback(v.optional(schema), undefined);
}

/** A document as its schema reads it; null where it is nothing of the kind. */
export function read<const Schema extends v.GenericSchema<unknown, object>>(
  schema: Schema,
  data: unknown,
): Output<Schema> | null {
  const result = v.safeParse(schema, data);
  if (!result.success) return null;
  const present = Object.entries(result.output).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as Output<Schema>;
}

type ToStamp = (millis: number) => unknown;
type Encode = (value: unknown, toStamp: ToStamp) => unknown;

/** The way back: what a schema reads becomes what Firestore holds. Fields that the schema does not have stay as they are. */
export function encoderOf<const Schema extends v.GenericSchema<unknown, object>>(schema: Schema) {
  const encode = encodeOf(schema as Node) ?? ((value) => value);
  return (value: Partial<Output<Schema>>, toStamp: ToStamp) =>
    encode(value, toStamp) as Readonly<Record<string, unknown>>;
}

/** As much of a schema as says where its instants are. */
interface Node {
  readonly pipe?: readonly unknown[];
  readonly wrapped?: Node;
  readonly item?: Node;
  /** Of a record, whose names are its own. */
  readonly value?: Node;
  readonly entries?: Readonly<Record<string, Node>>;
  readonly options?: readonly Node[];
}

/** Undefined where there is no instant in it: then it is stored as it is. */
function encodeOf({ pipe, wrapped, item, value: held, entries, options }: Node): Encode | undefined {
  if (pipe?.[0] === AnyStamp) return (value, toStamp) => toStamp(value as number);
  const ofEach = held === undefined ? undefined : encodeOf(held);
  if (ofEach !== undefined) {
    return (value, toStamp) =>
      Object.fromEntries(Object.entries(value as object).map(([name, one]) => [name, ofEach(one, toStamp)]));
  }
  const inner = wrapped ?? item;
  if (inner !== undefined) {
    const encode = encodeOf(inner);
    if (encode === undefined) return undefined;
    return (value, toStamp) => {
      if (Array.isArray(value)) return value.map((one) => encode(one, toStamp));
      return value === null || value === undefined ? value : encode(value, toStamp);
    };
  }
  const all: Readonly<Record<string, Node>> =
    entries ?? Object.assign({}, ...(options ?? []).map((option) => option.entries));
  const fields = Object.entries(all).flatMap(([name, field]) => {
    const encode = encodeOf(field);
    return encode === undefined ? [] : [{ name, encode }];
  });
  if (fields.length === 0) return undefined;
  return (value, toStamp) => {
    const encoded = { ...(value as Record<string, unknown>) };
    for (const { name, encode } of fields) {
      if (name in encoded) encoded[name] = encode(encoded[name], toStamp);
    }
    return encoded;
  };
}

/** One field of a protocol buffer message as it is on the wire: a number, or the bytes of a text or a message. */
export type WireField = readonly [field: number, value: number | Uint8Array];

/**
 * The fields of a protocol buffer message, in their order, without its schema
 * (https://protobuf.dev/programming-guides/encoding). Numbers of 64 bits come rounded: what is looked for here are
 * enums, flags and lengths.
 *
 * @throws Error on what is no such message
 */
export function* fieldsOf(message: Uint8Array): Generator<WireField> {
  let at = 0;
  while (at < message.length) {
    const key = varint();
    const field = Math.floor(key / 8);
    switch (key % 8) {
      case 0:
        yield [field, varint()];
        break;
      case 1:
        yield [field, take(8)];
        break;
      case 2:
        yield [field, take(varint())];
        break;
      case 5:
        yield [field, take(4)];
        break;
      default:
        throw new Error(`the message has a field of the unknown type ${key % 8}`);
    }
  }

  function varint(): number {
    let value = 0;
    for (let factor = 1; at < message.length; factor *= 128) {
      const byte = message[at] ?? 0;
      at += 1;
      value += (byte % 128) * factor;
      if (byte < 128) return value;
    }
    throw new Error('the message ends within a number');
  }

  function take(length: number): Uint8Array {
    if (at + length > message.length) throw new Error('the message ends within a field');
    at += length;
    return message.subarray(at - length, at);
  }
}

/** Every message under a field's number. */
export function messagesAt(message: Uint8Array, field: number): readonly Uint8Array[] {
  const found: Uint8Array[] = [];
  for (const [number, value] of fieldsOf(message)) {
    if (number === field && typeof value !== 'number') found.push(value);
  }
  return found;
}

/** The last message under a field's number; undefined where there is none. */
export function messageAt(message: Uint8Array, field: number): Uint8Array | undefined {
  return messagesAt(message, field).at(-1);
}

/** The number under a field's number; 0, as the encoding has it, where there is none. */
export function numberAt(message: Uint8Array, field: number): number {
  let found = 0;
  for (const [number, value] of fieldsOf(message)) {
    if (number === field && typeof value === 'number') found = value;
  }
  return found;
}

const decoder = new TextDecoder();

/** The text under a field's number; empty where there is none. */
export function textAt(message: Uint8Array, field: number): string {
  const bytes = messageAt(message, field);
  return bytes === undefined ? '' : decoder.decode(bytes);
}

/** The messages of a gRPC body: each has a byte of flags and four of its length before it. */
export function messagesIn(body: Uint8Array): readonly Uint8Array[] {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const messages: Uint8Array[] = [];
  for (let at = 0; at + 5 <= body.length; ) {
    const end = at + 5 + view.getUint32(at + 1);
    messages.push(body.subarray(at + 5, end));
    at = end;
  }
  return messages;
}

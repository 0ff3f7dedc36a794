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

/**
 * How often a field stands in a protocol buffer message, at its top level. Enough to count the documents of a call
 * without its whole schema (https://protobuf.dev/programming-guides/encoding).
 *
 * @throws Error on what is no such message
 */
export function countField(message: Uint8Array, field: number): number {
  let at = 0;
  let found = 0;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; at < message.length; factor *= 128) {
      const byte = message[at] ?? 0;
      at += 1;
      value += (byte % 128) * factor;
      if (byte < 128) return value;
    }
    throw new Error('the message ends within a number');
  };
  while (at < message.length) {
    const key = varint();
    if (Math.floor(key / 8) === field) found += 1;
    skip(key % 8);
  }
  return found;

  function skip(wireType: number): void {
    if (wireType === 0) varint();
    else if (wireType === 1) at += 8;
    else if (wireType === 2) {
      const length = varint();
      at += length;
    } else if (wireType === 5) at += 4;
    else throw new Error(`the message has a field of the unknown type ${wireType}`);
  }
}

/** One message of a gRPC body, with its length before it. */
export const frame = (...message: readonly number[]): Buffer =>
  Buffer.from([0, 0, 0, message.length >> 8, message.length & 255, ...message]);
/** A field with bytes in it, as protocol buffers write it. */
export const bytes = (field: number, ...content: readonly number[]): readonly number[] => [
  field * 8 + 2,
  content.length,
  ...content,
];
export const EMPTY = Buffer.alloc(0);

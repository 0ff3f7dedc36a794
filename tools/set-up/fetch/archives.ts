// Archives for tests, made by hand, so that they can also be such as no packer makes.
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';

export interface Packed {
  readonly name: string;
  readonly text: string;
  readonly isProgram?: boolean;
  /** The entry is a symbolic link to what `text` says. */
  readonly isLink?: boolean;
}

export function tarGz(entries: readonly Packed[]): Buffer {
  const blocks = entries.flatMap(({ name, text, isProgram = false, isLink = false }) => {
    const data = Buffer.from(isLink ? '' : text);
    const head = Buffer.alloc(512);
    const put = (at: number, value: string) => head.write(value, at, 'utf8');
    const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
    put(0, name);
    put(100, octal(isProgram ? 0o755 : 0o644, 7));
    put(124, octal(data.length, 11));
    put(148, '        ');
    put(156, isLink ? '2' : '0');
    if (isLink) put(157, text);
    put(257, 'ustar\0' + '00');
    put(
      148,
      `${head
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, '0')}\0 `,
    );
    return [head, data, Buffer.alloc((512 - (data.length % 512)) % 512)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

export function zip(entries: readonly Packed[]): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, text, isProgram = false, isLink = false } of entries) {
    const title = Buffer.from(name);
    const packed = deflateRawSync(text);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(text), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(Buffer.byteLength(text), 18);
    common.writeUInt16LE(title.length, 22);
    const mode = isLink ? 0o120777 : isProgram ? 0o100755 : 0o100644;
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(mode * 0x10000, 6);
    rest.writeUInt32LE(offset, 10);
    const body = Buffer.concat([Buffer.from('504b0304', 'hex'), common, title, packed]);
    directory.push(Buffer.from('504b01021403', 'hex'), common, rest, title);
    bodies.push(body);
    offset += body.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('504b0506', 0, 'hex');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, central, end]);
}

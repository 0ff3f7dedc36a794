import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { type Packed, tarGz, zip } from './archives.ts';
import { unpack } from './unpack.mjs';

/** By GNU tar 1.34 in its own format and in pax's, by Python's zipfile: a program, a long name, a link. */
const BY_OTHERS = {
  'gnu.tar.gz':
    'H4sIAAAAAAAAA+2XQW6DMBBFvc4pXHUPHoNhmwNwCdqigoowSlypuX0wVRehSRCLMWn5b2MESLb8/f94nO1jwYwayI0Zx4HpOD5TkimdZyr170klJhXScC/M83l05UFKcbDW3ftv7vsfxQ36t033wTnHqH+eL9A/Gc6LkLpvy6aL3Bfnxm9c/yiO4n1hu/eC7xB4gbM0vam/psuzoIhMPvi/YFrPBRvX3/u/XB32EgRuEEL/xfU/0YZQ/4PwEPmvr+S/Qf6H4EHy/62qeuaLHrhGqPy/53+lzO/8JyFViA3YuP+98XZrLwKshvc/d5s97/9s0v9r7e9/8D8/o/YIgM3i/f/SdKwN+OL+j4g0+r8g/Oh/LE9sc8zqr81U/yxNkP8heH76lr/eVa+1lXXVthblAAAAAAAAAAD+H2emswpyACgAAA==',
  'pax.tar.gz':
    'H4sIAAAAAAAAA+3aT2+CMBgGcM5+Cpbdpf/Rg/cd9xU6JYHMCVGWuG+/ls2E1UwC0k7H87tgxKSY+rxvi8yTZ318yvQm2x+SuqwiD4ihhGiOhnskJBUR5YqwVBFh36eUMBrFRx8X43o/1HpvLiXEWDeIk1jXxVu2oulScinUgsz5QjIllkrOzNn12dmUf5/962uH65nIJ77HaCIu5e/5N6+d/Cspolj6vjDrlP99WdaXPtd13v1yd8LOf6sDbIvd6+hjDKj/CvU/DNT/abP59xL6libiadqj/gueyihm1VYXu3l9vFh4r4T6367/2oeu+s+p/Dn/3Kz/Fep/CFTIuNJ1vrI/BC+z30syG9CQ1BINaagQ0957/c+FaQFY/4cQav4v1n92Xv8l6n8QVPKbqv+bLKvsig99IIxbyD8hbv5N/Tf7/yCZnHj9t3lDXqbL2f952XF35v/s/h9TpiSg/weANjttNv++b7N193/l5J9Lu/9D//evmXskebKc/v9S7MYfo3//p4IL9P8QhvR/if7/b9j8m9B7fQakiXiv5z+YYLj/G8Rp/ls94KA/xh1jwP6PcYL6HwL2f9N2yv/ooW/prP/u/z+UmwUg9n8hPD58TX8+y9Z5GefZdlsi2AAAAAAAAAAAAAAAAAAAAAD34xNKqkfQAFAAAA==',
  'python.zip':
    'UEsDBBQAAAAIAMBsdl151D8XFwAAABUAAAALAAAAdG9wL2Jpbi9zYXlTVtRPyszTL87gSk3OyFfISM3JyecCAFBLAwQUAAAACADAbHZd0PkVOQgAAAAGAAAADQAAAHRvcC9wbGFpbi50eHQryEnMzOMCAFBLAQIUAxQAAAAIAMBsdl151D8XFwAAABUAAAALAAAAAAAAAAAAAADtgQAAAAB0b3AvYmluL3NheVBLAQIUAxQAAAAIAMBsdl3Q+RU5CAAAAAYAAAANAAAAAAAAAAAAAACkgUAAAAB0b3AvcGxhaW4udHh0UEsFBgAAAAACAAIAdAAAAHMAAAAAAA==',
};
const LONG = 'a'.repeat(130);

function unpacked(name: string, bytes: Buffer): string {
  const folder = temporaryFolder();
  const archive = join(folder, name);
  writeFileSync(archive, bytes);
  const inside = join(folder, 'inside', 'of');
  mkdirSync(inside, { recursive: true });
  unpack(archive, inside);
  return inside;
}

test.each(Object.entries(BY_OTHERS))(
  '%s, which another program made, is unpacked as it was',
  (name, text) => {
    const folder = unpacked(name, Buffer.from(text, 'base64'));
    expect(readFileSync(join(folder, 'top/plain.txt'), 'utf8')).toBe('plain\n');
    expect(spawnSync(join(folder, 'top/bin/say'), { encoding: 'utf8' }).stdout).toBe('hello\n');
    expect(statSync(join(folder, 'top/plain.txt')).mode & 0o111).toBe(0);
    if (name === 'python.zip') return;
    expect(readFileSync(join(folder, 'top', LONG, 'deep.txt'), 'utf8')).toBe('deep\n');
    expect(readlinkSync(join(folder, 'top/link'))).toBe('plain.txt');
  },
);

describe.each([
  ['a tar file', 'some.tar.gz', tarGz],
  ['a zip file', 'some.whl', zip],
])('%s', (_, name, pack) => {
  test('is unpacked with its programs and its links', () => {
    const folder = unpacked(
      name,
      pack([
        { name: 'x/bin/run', text: '#!/bin/sh\necho ran', isProgram: true },
        { name: 'x/lib/empty', text: '' },
        { name: 'x/run', text: 'bin/run', isLink: true },
      ]),
    );
    expect(spawnSync(join(folder, 'x/run'), { encoding: 'utf8' }).stdout).toBe('ran\n');
    expect(readFileSync(join(folder, 'x/lib/empty'), 'utf8')).toBe('');
  });

  test.each<readonly [string, Packed]>([
    ['a name that leads out', { name: '../out', text: 'x' }],
    ['one that goes in and out', { name: 'in/../../out', text: 'x' }],
    ['a name from the root', { name: '/tmp/out', text: 'x' }],
    ['a name of Windows that leads out', { name: '..\\out', text: 'x' }],
    ['a link that leads out', { name: 'in/link', text: '../../out', isLink: true }],
    ['a link to the root', { name: 'link', text: '/etc', isLink: true }],
  ])('with %s is refused, and nothing is written beside the folder', (_how, entry) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, name), pack([{ name: 'fine', text: 'x' }, entry]));
    expect(() => unpack(join(folder, name), join(folder, 'inside', 'of'))).toThrow(/outside of the archive/);
    expect(readdirSync(folder).sort()).toEqual(['inside', name].sort());
    expect(readdirSync(join(folder, 'inside'))).toEqual(['of']);
  });

  test('writes nothing through a link that it brought itself', () => {
    const entries = [
      { name: 'link', text: 'target', isLink: true },
      { name: 'link/file', text: 'x' },
    ];
    const folder = temporaryFolder();
    writeFileSync(join(folder, name), pack(entries));
    expect(() => unpack(join(folder, name), join(folder, 'inside'))).toThrow(/EEXIST/);
    expect(existsSync(join(folder, 'inside', 'target'))).toBe(false);
  });

  test('that is cut off, or something else, is refused', () => {
    const whole = pack([{ name: 'file', text: 'x'.repeat(5000) }]);
    for (const bytes of [whole.subarray(0, -30), Buffer.from('<html>Not found</html>')]) {
      expect(() => unpacked(name, bytes)).toThrow();
    }
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readCatalog } from './catalog.ts';

const folder = mkdtempSync(join(tmpdir(), 'simulator-catalog-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const MUG = { lookupKey: 'mug', name: 'Mug', amount: 1200, currency: 'jpy', interval: null };

describe('a catalogue file', () => {
  it('is JSON, or a module that exports it', async () => {
    expect(await readCatalog(file('mugs.json', JSON.stringify([MUG])))).toEqual([MUG]);
    expect(await readCatalog(file('mugs.mjs', `export default ${JSON.stringify([MUG])};`))).toEqual([MUG]);
  });

  it.each([
    ['what is no list', {}, 'it must hold a list'],
    ['an entry without a lookup key', [MUG, { ...MUG, lookupKey: '' }], 'entry 2 has no "lookupKey"'],
    ['one without a name', [{ ...MUG, name: undefined }], 'entry 1 has no "name"'],
    ['half a cent', [{ ...MUG, amount: 0.5 }], 'needs an "amount" in minor currency units'],
    ['a currency that nobody has', [{ ...MUG, currency: 'xxx' }], 'needs a "currency"'],
    ['an interval that nobody has', [{ ...MUG, interval: 'once' }], 'needs an "interval"'],
  ])('is refused with %s', async (_, entries, why) => {
    await expect(readCatalog(file('wrong.json', JSON.stringify(entries)))).rejects.toThrow(why);
  });

  it('that is not there is named', async () => {
    await expect(readCatalog('nowhere.json')).rejects.toThrow('nowhere.json is no catalogue: ENOENT');
  });
});

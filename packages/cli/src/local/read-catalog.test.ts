import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const CONTRACT = new URL('../../../contract/src/define-catalog.ts', import.meta.url).href;
const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** A file that holds this text; null: none. */
function aFile(text: string | null, name = 'billing.config.ts'): string {
  const folder = mkdtempSync(join(tmpdir(), 'billing-catalog-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, name);
  if (text !== null) writeFileSync(file, text);
  return file;
}

/** What Node says of a program with this catalogue; the test runner reads modules in another way. */
function run(args: readonly string[], catalog = '', cwd = process.cwd()) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    env: { ...process.env, BILLING_CATALOG: catalog },
    cwd,
    encoding: 'utf8',
  });
  return { status, said: `${stdout}${stderr}` };
}

it('a broken or missing catalogue is one line with file and position', () => {
  const broken = [
    [aFile(null), ': no such file. It says what you sell.'],
    [aFile('export default {\n  plans: [\n};\n'), ':3:1: Expression expected'],
    [aFile('export default {\n', 'billing.config.mjs'), ':2: Unexpected end of input'],
    [aFile('\nexport default price.of;\n'), ':2:16: price is not defined'],
  ] as const;
  const read = `import { readCatalog } from '${new URL('./read-catalog.ts', import.meta.url).href}';
    for (const file of process.argv.slice(1)) await readCatalog(file).catch((error) => console.log(error.message));`;
  const { said } = run(['--input-type=module', '-e', read, ...broken.map(([file]) => file)]);
  expect(said.trim().split('\n')).toEqual(broken.map(([file, says]) => `${file}${says}`));
});

it('a command lists wrong values once, without a stack trace', () => {
  const text = `import { defineCatalog } from '${CONTRACT}';
export default defineCatalog({ model: 'subscription', trialDays: -1, plans: {}, packs: { a: {} }, features: {} });
`;
  const file = aFile(text);
  const { status, said } = run([fileOf('../billing.ts'), 'setup'], file);
  const [first, ...list] = said.trim().split('\n');
  expect([status, first]).toEqual([2, `${file}:2:16: this can't be sold:`]);
  expect(list).toContain('  - packs.a.currency is missing');
  expect(list.filter((line) => !line.startsWith('  - '))).toEqual([]);
  expect(new Set(list).size).toBe(list.length);
});

it('a command sells the file of the folder in which it is called, be it data or defined', () => {
  const data = `export default { model: 'subscription', gate: 'paywall', trialDays: 0, plans: { mine_monthly:
    { kind: 'subscription', interval: 'month', amount: 700, currency: 'usd' } }, packs: {}, features: {} };`;
  const cwd = dirname(aFile(data, 'billing.config.mjs'));
  const read = `const { catalog } = await import('${new URL('./catalog.ts', import.meta.url).href}');
    const { catalogAsData } = await import('${new URL('../../../contract/build/inline-catalog.ts', import.meta.url).href}');
    console.log(catalog.plans[0].lookupKey, (await catalogAsData('/nothing/billing.config.ts')).includes('mine_monthly'));`;
  expect(run(['--input-type=module', '-e', read], '', cwd).said.trim()).toBe('mine_monthly true');
});

it('help needs no catalogue', () => {
  expect(run([fileOf('../billing.ts'), 'help'], aFile(null)).status).toBe(0);
});

it('npm start names file and position too', () => {
  const { status, said } = run(
    [fileOf('../../../../tools/start.ts'), '--no-browser'],
    aFile('export default {'),
  );
  expect([status, said]).toEqual([1, expect.stringMatching(/\n\/.*billing\.config\.ts:1:?\d*: .+\n$/)]);
});

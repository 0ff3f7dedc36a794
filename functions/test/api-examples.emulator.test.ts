import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PACK } from '@extension-billing/contract/test/catalog';
import { expect, it, onTestFinished } from 'vitest';
import { servers } from './app/suite.ts';

const page = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({
  language,
  text,
}));

it('every block of docs/api.md is code that prints the block of JSON after it', async () => {
  expect(blocks.length).toBeGreaterThan(5);
  const languages = blocks.map(({ language }) => language);
  expect(languages).toEqual(languages.map((_, index) => (index % 2 === 0 ? 'ts' : 'json')));

  const folder = mkdtempSync(join(tmpdir(), 'billing-examples-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'client.ts');
  // One program, as a reader who follows the page writes it; only what it prints is read by a machine here.
  const code = blocks.filter(({ language }) => language === 'ts').map(({ text }) => text);
  // The page buys what is shipped; the suite sells what the tests sell.
  const sold = code.map((text) =>
    text.replaceAll(/(lookup_key: ')(?!sold_nowhere)[^']+/g, `$1${PACK.small}`),
  );
  const asJson = 'console.log = (value) => process.stdout.write(JSON.stringify(value) + "\\n");\n';
  writeFileSync(file, asJson + sold.join('\n'));
  const env = { ...process.env, BILLING_BASE_URL: servers['direct server'] };
  const { stdout } = await promisify(execFile)(process.execPath, [file], { env });

  const printed = stdout.trim().split('\n');
  const promised = blocks.filter(({ language }) => language === 'json').map(({ text }) => text);
  expect(printed.map((line): unknown => JSON.parse(line))).toEqual(
    promised.map((text): unknown => JSON.parse(text)),
  );
});

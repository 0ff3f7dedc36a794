import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { emitTypes } from '../build/emit-types.ts';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'billing-consumer-'));
beforeAll(async () => {
  await emitTypes(at('..'), join(folder, 'client'));
  // What an adopter has, and nothing else: the declarations may not name what only this repository installs.
  mkdirSync(join(folder, 'node_modules', '@types'), { recursive: true });
  for (const name of ['react', 'firebase', 'valibot', '@types/react']) {
    symlinkSync(at(`../../../node_modules/${name}`), join(folder, 'node_modules', name), 'dir');
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** As strict as a compiler gets, looking into declarations too, and without the types of `chrome`. */
const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  skipLibCheck: false,
  noEmit: true,
  target: 'es2024',
  lib: ['es2024', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  jsx: 'react-jsx',
  types: [],
  paths: { '@extension-billing/client/*': ['./client/exports/*.d.ts'] },
};

/** @returns what the compiler says of a consumer's file; empty where it has nothing to say. */
function check(source: string): Promise<string> {
  writeFileSync(join(folder, 'consumer.ts'), source);
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: STRICT, include: ['consumer.ts'] }),
  );
  const compiler = at('../../../node_modules/typescript/bin/tsc');
  return new Promise((resolve) => {
    execFile(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], (_, stdout) => resolve(stdout));
  });
}

it('type-check in a strict consumer that has no types of chrome', async () => {
  const doors = ['background', 'content', 'messages', 'pricing', 'react'];
  const imports = doors.map((door) => `export * as ${door} from '@extension-billing/client/${door}';`);
  expect(await check(imports.join('\n'))).toBe('');
});

it('tell a refused consume, which has a reason, from one that was paid, which has none', async () => {
  const source = (reason: string): string => `
    import { type ConsumeResult, type DenialReason, send } from '@extension-billing/client/messages';
    const result: ConsumeResult = await send('creditsConsume', { feature: 'demo' });
    export const why: DenialReason | null = ${reason};`;
  expect(await check(source('result.ok ? null : result.reason'))).toBe('');
  expect(await check(source('result.ok ? result.reason : null'))).toContain(
    "Property 'reason' does not exist",
  );
});

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { emitTypes } from '../../client/build/emit-types.ts';
import { doors, installedBeside } from '../build/bundle.ts';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'billing-backend-'));
const installed = join(folder, 'node_modules', '@extension-billing', 'server');

let sources: readonly string[] = [];
/** A backend with the built package and what npm installs beside it, and nothing else of this repository. */
beforeAll(async () => {
  mkdirSync(join(folder, 'node_modules', '@types'), { recursive: true });
  mkdirSync(installed, { recursive: true });
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  const { dependencies } = JSON.parse(readFileSync(at('../package.json'), 'utf8'));
  for (const name of [...Object.keys(dependencies), 'firebase-admin', '@types/node']) {
    symlinkSync(at(`../../../node_modules/${name}`), join(folder, 'node_modules', name), 'dir');
  }
  cpSync(at('../package.json'), join(installed, 'package.json'));
  const outdir = join(installed, 'dist');
  const { metafile } = await build({ ...doors, external: installedBeside(), outdir, metafile: true });
  sources = Object.keys(metafile.inputs);
  await emitTypes(at('..'), join(installed, 'dist', 'types'), '../..');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('has no code of other packages in it, whose licenses it would have to bring', () => {
  expect(sources.length).toBeGreaterThan(20);
  expect(sources.filter((path) => path.includes('node_modules/'))).toEqual([]);
});

/** @returns what the compiler says of a backend's files; empty where it has nothing to say. */
function check(files: readonly string[], more: object): Promise<string> {
  const compilerOptions = {
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
    ...{ skipLibCheck: true, noEmit: true, target: 'es2024', lib: ['es2024'] },
    ...{ module: 'nodenext', moduleResolution: 'nodenext', types: ['node'] },
    ...more,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const compiler = at('../../../node_modules/typescript/bin/tsc');
  return new Promise((resolve) => {
    const words = ['--singleThreaded', '-p', folder, '--pretty', 'false'];
    execFile(process.execPath, [compiler, ...words], (_, stdout) => resolve(stdout));
  });
}

/** What is right, and what must not compile. */
const FILES = {
  'package.json': '{ "type": "module" }',
  'over-http.ts': `
    import { type Billing, type BillingOptions, createBilling } from '@extension-billing/server';
    export async function charge(options: BillingOptions, uid: string): Promise<string | null> {
      const billing: Billing<'summarise'> = createBilling<'summarise'>(options);
      const spent = await billing.consume(uid, 'summarise', { key: 'job' });
      if (!spent.ok) return spent.reason === 'credits_exhausted' ? String(spent.balance) : null;
      // @ts-expect-error: the catalogue has no such feature
      void billing.consume(uid, 'dance');
      // @ts-expect-error: a refusal has a reason that is one of a few
      if (!spent.ok && spent.reason === 'nonsense') return null;
      const done = await billing.withCredits(uid, 'summarise', async () => 'text');
      const measured = await billing.withCredits(uid, 'summarise', async () => ({ result: 7, units: { input: 1 } }));
      const seven: number | null = measured.ok ? measured.result : null;
      // @ts-expect-error: an amount or units, not both
      void billing.settle(uid, 'job', { amount: seven ?? 0, units: {} });
      return done.ok ? done.result : done.reason;
    }
    export const billing = createBilling({ url: 'https://b.test/api', key: 'k' });
    // @ts-expect-error: two proofs
    createBilling({ url: 'https://b.test/api', key: 'k', idToken: () => 't' });
    // @ts-expect-error: none
    createBilling({ url: 'https://b.test/api' });`,
  'in-process.ts': `
    import type { Auth } from 'firebase-admin/auth';
    import type { Firestore } from 'firebase-admin/firestore';
    import { createBilling, defineCatalog } from '@extension-billing/server/in-process';
    const catalog = defineCatalog({
      model: 'credits-only', gate: 'metered', trialDays: 0, plans: {},
      packs: { ten: { amount: 500, currency: 'usd', credits: 10 } },
      features: { summarise: { cost: 1 } },
    });
    export function open(firestore: Firestore, auth: Auth) {
      const billing = createBilling({ firestore, auth, catalog, name: 'mine' });
      // @ts-expect-error: the catalogue has no such feature
      void billing.consume('ada', 'dance');
      return billing.consume('ada', 'summarise');
    }`,
} as const;

it.each([
  ['with exactOptionalPropertyTypes', ['over-http.ts', 'in-process.ts'], {}],
  ['without it', ['over-http.ts', 'in-process.ts'], { exactOptionalPropertyTypes: false }],
  [
    'looked into, with the types of the web alone',
    ['over-http.ts'],
    {
      ...{ skipLibCheck: false, types: [], lib: ['es2024', 'dom', 'dom.iterable'] },
      ...{ moduleResolution: 'bundler', module: 'esnext' },
    },
  ],
])('has types that hold in a strict backend, %s', async (_, files, options) => {
  expect(await check(files, options)).toBe('');
});

it('is loaded by plain Node, each door with the same BillingError', async () => {
  const file = join(folder, 'both.mjs');
  writeFileSync(
    file,
    `import { BillingError, createBilling } from '@extension-billing/server';
     import * as inProcess from '@extension-billing/server/in-process';
     console.log(BillingError === inProcess.BillingError, typeof inProcess.createBilling);
     try { createBilling({ url: 'nowhere', key: 'k' }); } catch (error) { console.log(error.code); }`,
  );
  const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: folder });
  expect(stdout).toBe('true function\nnot_configured\n');
});

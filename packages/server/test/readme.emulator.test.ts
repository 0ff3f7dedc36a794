import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PLAN } from '@extension-billing/contract/test/catalog';
import { expect, it } from 'vitest';
import { firestore, signUp } from '../../../functions/test/app/emulated-user.ts';
import { temporaryFolder } from '../../../tools/test/temporary-folder.ts';
import { readmeInput, serve } from './ways.ts';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const page = readFileSync(at('../README.md'), 'utf8');
const [overHttp = '', inProcess = ''] = page.split('\n## In process\n');

const blocksOf = (text: string, language: string): readonly string[] =>
  [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, tag, block = '']) =>
    tag === language ? [block] : [],
  );

/** What the code of a chapter prints, run as one program, as a reader who follows it writes it. */
async function run(chapter: string, idToken: string, environment: object): Promise<unknown[]> {
  // In the checkout, where the package is found.
  const folder = temporaryFolder(at('../../../.suite'));
  const catalog = `import { defineCatalog } from '@extension-billing/server/in-process';
    export default defineCatalog(${JSON.stringify(readmeInput)});`;
  writeFileSync(join(folder, 'billing.config.ts'), catalog);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const before = `console.log = (value) => process.stdout.write(JSON.stringify(value) + "\\n");
    const idToken: string = ${JSON.stringify(idToken)};\n`;
  const project = `projectId: '${process.env.GCLOUD_PROJECT}', authEmulator: true`;
  const code = blocksOf(chapter, 'ts').join('\n').replace("projectId: 'your-project'", project);
  const file = join(folder, 'backend.ts');
  writeFileSync(file, before + code);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=extension-billing-source', file],
    { env: { ...process.env, ...environment } },
  );
  return stdout
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
}

/** A user with a plan and 100 credits. */
async function aCustomer() {
  const user = await signUp();
  await firestore.doc(`customers/${user.uid}`).set({
    ...{ paid: true, plan: PLAN.lifetime, planKind: 'lifetime', status: 'active', cancelAtPeriodEnd: false },
    ...{ creditsRemaining: 100, creditsAllowance: 0, packCreditsRemaining: 100 },
  });
  return user;
}

it('every block of the README is code that prints what stands after it', async () => {
  const { url, key, close } = await serve();
  const printed = await Promise.all([
    run(overHttp, (await aCustomer()).idToken, { BILLING_URL: url, BILLING_KEY: key }),
    run(inProcess, (await aCustomer()).idToken, {}),
  ]).finally(close);
  const promised = blocksOf(page, 'json').map((text): unknown => JSON.parse(text));
  expect(promised.length).toBeGreaterThan(12);
  expect(printed.flat()).toEqual(promised);
});

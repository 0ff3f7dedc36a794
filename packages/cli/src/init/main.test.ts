import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { fakeClient } from '../../test/fake-extension.ts';
import { readPorts } from '../local/ports.ts';
import { PROJECT_ID, SIMULATOR_SECRETS, suiteVariables } from '../local/suite.ts';
import { init, undo } from './init.ts';
import { LOCAL_SUITE } from './templates/addresses.ts';
import { webpackWrapper } from './templates/webpack.ts';

let folder: string;
let said: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'billing-init-'));
  said = '';
  const hear = (text: string): void => {
    said += `${text}\n`;
  };
  const spies = [
    vi.spyOn(console, 'log').mockImplementation(hear),
    vi.spyOn(console, 'error').mockImplementation(hear),
  ];
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
    rmSync(folder, { recursive: true });
  });
});
function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
const files = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path, readFileSync(path, 'base64')]),
  );
const run = async (...words: ('--yes' | '--undo')[]): Promise<number> => {
  const [word] = words;
  return word === '--undo' ? undo(folder) : init(folder, () => fakeClient, { yes: word === '--yes' });
};
const MANIFEST = '{"manifest_version":3,"background":{"service_worker":"worker.js"}}';
const writeExtension = (): void => {
  write('manifest.json', MANIFEST);
  write('worker.js', 'go();\r\n');
};

describe('the command', () => {
  it('writes, says what it wrote and why, and does nothing a second time', async () => {
    writeExtension();
    expect(await run('--yes')).toBe(0);
    expect(said).toMatch(
      /edit {2}worker\.js\n.*\n +\+ if \(typeof importScripts === 'function'\) importScripts\('\/billing\/background\.js'\);/,
    );
    const once = files();
    expect(await run('--yes')).toBe(0);
    expect(said).toContain('nothing to change');
    expect(files()).toEqual(once);
  });
  it('brings every byte back, and removes what it made', async () => {
    writeExtension();
    const before = files();
    await run('--yes');
    expect(await run('--undo')).toBe(0);
    expect(files()).toEqual(before);
    expect(await run('--undo')).toBe(1);
  });
  it('keeps a journal that is small whatever a lock file is, and says whether to commit it', async () => {
    write('package.json', '{ "dependencies": { "plasmo": "1" } }');
    write('package-lock.json', `{ "long": "${'x'.repeat(300_000)}" }`);
    const programs = mkdtempSync(join(tmpdir(), 'billing-programs-'));
    writeFileSync(join(programs, 'npm'), '#!/bin/sh\necho new > package-lock.json\n', { mode: 0o755 });
    vi.stubEnv('PATH', `${programs}:${process.env.PATH}`);
    onTestFinished(() => {
      vi.unstubAllEnvs();
      rmSync(programs, { recursive: true });
    });
    const before = files();
    expect(await run('--yes')).toBe(0);
    const journal = readFileSync(join(folder, '.extension-billing/init.json'), 'utf8');
    expect(journal.length).toBeLessThan(5_000);
    expect(journal).toContain('Commit this folder');
    expect(await run('--undo')).toBe(0);
    expect(files()).toEqual(before);
  });
  it('takes nothing back where somebody edited a file since, and names it', async () => {
    writeExtension();
    await run('--yes');
    write('worker.js', 'mine();');
    const before = files();
    expect(await run('--undo')).toBe(1);
    expect(said).toMatch(/somebody edited\n {2}worker\.js/);
    expect(files()).toEqual(before);
  });
  it('takes nothing back that the owner wrote between two runs', async () => {
    writeExtension();
    await run('--yes');
    write('manifest.json', MANIFEST.replace('"manifest_version":3', '"manifest_version":3,"name":"mine"'));
    expect(await run('--yes')).toBe(0);
    const before = files();
    expect(await run('--undo')).toBe(1);
    expect(said).toMatch(/somebody edited\n {2}manifest\.json/);
    expect(files()).toEqual(before);
  });
  it('writes over no file that a link of the owner’s names', async () => {
    writeExtension();
    const elsewhere = mkdtempSync(join(tmpdir(), 'billing-elsewhere-'));
    onTestFinished(() => rmSync(elsewhere, { recursive: true }));
    symlinkSync(join(elsewhere, 'prices.mjs'), join(folder, 'billing.config.mjs'));
    symlinkSync(elsewhere, join(folder, 'billing'));
    expect(await run('--yes')).toBe(1);
    expect(said).toMatch(/by the link\n {2}billing\n {2}billing\.config\.mjs\n/);
    expect(readdirSync(elsewhere)).toEqual([]);
  });
  it('writes nothing where nobody says yes', async () => {
    writeExtension();
    const before = files();
    expect(await run()).toBe(1);
    expect(said).toContain('say --yes');
    expect(files()).toEqual(before);
  });
  it('ends with 3 where lines are left to the owner', async () => {
    write('manifest.json', MANIFEST.replace('}}', '},"options_page":"own.html"}'));
    write('worker.js', '');
    expect(await run('--yes')).toBe(3);
    expect(said).toContain('own.html: the way to billing');
  });
  it('edits no file whose bytes are not those of a text, and says the lines', async () => {
    write('manifest.json', MANIFEST);
    writeFileSync(join(folder, 'worker.js'), Buffer.from([0x2f, 0x2f, 0xe9, 0x0a]));
    expect(await run('--yes')).toBe(3);
    expect(said).toContain("importScripts('/billing/background.js');");
    expect(readFileSync(join(folder, 'worker.js')).at(2)).toBe(0xe9);
  });
  it('calls the package manager of the workspace that the folder is part of, and takes back what it wrote above', async () => {
    write('pnpm-workspace.yaml', 'packages:\n  - apps/*\n');
    write('pnpm-lock.yaml', 'old');
    write('apps/mine/package.json', '{ "dependencies": { "plasmo": "1" } }');
    const programs = mkdtempSync(join(tmpdir(), 'billing-programs-'));
    writeFileSync(join(programs, 'pnpm'), '#!/bin/sh\necho new > ../../pnpm-lock.yaml\n', { mode: 0o755 });
    writeFileSync(join(programs, 'npm'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    vi.stubEnv('PATH', `${programs}:${process.env.PATH}`);
    onTestFinished(() => {
      vi.unstubAllEnvs();
      rmSync(programs, { recursive: true });
    });
    const before = files();
    const mine = join(folder, 'apps/mine');
    expect(await init(mine, () => fakeClient, { yes: true })).toBe(0);
    expect(readFileSync(join(folder, 'pnpm-lock.yaml'), 'utf8')).toBe('new\n');
    expect(undo(mine)).toBe(0);
    expect(files()).toEqual(before);
  });
  it('keeps what the package manager wrote into a file that it edits itself', async () => {
    const own = '{\n  "dependencies": { "plasmo": "1" }\n}\n';
    write('package.json', own);
    const programs = mkdtempSync(join(tmpdir(), 'billing-programs-'));
    const npm = `#!/bin/sh\nprintf '{\\n  "dependencies": { "plasmo": "1", "brought": "1" }\\n}\\n' > package.json\n`;
    writeFileSync(join(programs, 'npm'), npm, { mode: 0o755 });
    vi.stubEnv('PATH', `${programs}:${process.env.PATH}`);
    onTestFinished(() => {
      vi.unstubAllEnvs();
      rmSync(programs, { recursive: true });
    });
    expect(await run('--yes')).toBe(0);
    expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).toMatchObject({
      dependencies: { brought: '1' },
      manifest: { permissions: ['storage', 'alarms'] },
    });
    expect(await run('--undo')).toBe(0);
    expect(readFileSync(join(folder, 'package.json'), 'utf8')).toBe(own);
  });
  it('says that there is no such folder', async () => {
    expect(await init('/no/such/folder', () => fakeClient, { yes: true })).toBe(1);
    expect(said).toContain('no folder /no/such/folder');
  });
});

it('writes the addresses that the local suite listens on', () => {
  const suite = suiteVariables(readPorts({}), SIMULATOR_SECRETS);
  const { host, port } = LOCAL_SUITE.firestoreEmulator;
  expect({ ...LOCAL_SUITE, firestoreEmulator: `${host}:${port}`, apiKey: null }).toEqual({
    apiBaseUrl: suite.BILLING_BASE_URL,
    projectId: PROJECT_ID,
    apiKey: null,
    authEmulatorUrl: `http://${suite.FIREBASE_AUTH_EMULATOR_HOST}`,
    firestoreEmulator: suite.FIRESTORE_EMULATOR_HOST,
    returnOrigin: suite.RETURN_BASE_URL,
  });
});

describe('what wraps a webpack configuration', () => {
  interface Config {
    readonly plugins?: readonly { apply(compiler: object): void }[];
    readonly name?: string;
  }
  const wrap = (): ((config: unknown) => unknown) => {
    write('billing/webpack.cjs', webpackWrapper(['page.html'], 'background.js'));
    return createRequire(join(folder, 'x.js'))('./billing/webpack.cjs');
  };
  const other = { apply: () => {} };

  it.each([
    ['an object', { name: 'a', plugins: [other] }],
    ['an object without plugins', { name: 'a' }],
    ['a promise', Promise.resolve({ name: 'a' })],
    ['a function', () => ({ name: 'a' })],
    ['a function that promises', async () => ({ name: 'a' })],
    ['a list', [{ name: 'a' }, { name: 'b' }]],
  ])('leaves %s what it is, with the page’s plugin behind its own', async (_, config) => {
    const wrapped = wrap()(config);
    expect(Array.isArray(wrapped)).toBe(Array.isArray(config));
    const resolved = await (typeof wrapped === 'function' ? wrapped({}, {}) : wrapped);
    const [first, second]: Config[] = [resolved].flat();
    expect(first?.name).toBe('a');
    expect(first?.plugins?.at(-1)).toHaveProperty('apply');
    expect(second?.plugins).toBeUndefined();
  });

  it.each([
    ['js/background.js', 'js/background.js', 'js/billing/page.html'],
    ['dist/background.js', 'background.js', 'billing/page.html'],
    ['background.js', 'chromium/background.js', 'chromium/billing/page.html'],
  ])(
    'adds the page beside the worker %s, an asset %s, before others zip what is built',
    (worker, asset, page) => {
      write('billing/webpack.cjs', webpackWrapper(['page.html'], worker));
      write('billing/page.html', 'the page');
      const dist = 'node_modules/@extension-billing/client/dist';
      for (const name of ['elements.js', 'LICENSE', 'licenses/elements.md']) write(`${dist}/${name}`, name);
      write('src/index.js', '');
      const { plugins = [] }: Config = createRequire(join(folder, 'x.js'))('./billing/webpack.cjs')({});
      const built: Record<string, unknown> = { [asset]: null };
      let process = (_assets: object): void => {};
      const tap = (_: unknown, hook: typeof process): void => {
        process = hook;
      };
      const emitAsset = (name: string, content: Buffer, info: { minimized: true }): void => {
        built[name] = [content.toString(), info.minimized];
      };
      plugins[0]?.apply({
        webpack: {
          Compilation: { PROCESS_ASSETS_STAGE_ADDITIONS: -100 },
          sources: {
            RawSource: function (this: unknown, content: Buffer) {
              return content;
            },
          },
        },
        hooks: {
          thisCompilation: {
            tap: (_: string, compile: (compilation: object) => void) =>
              compile({ emitAsset, hooks: { processAssets: { tap } } }),
          },
        },
      });
      process(built);
      expect(built[page]).toEqual(['the page', true]);
      expect(Object.keys(built)).toContain(page.replace('page.html', 'client/elements.js'));
    },
  );
});

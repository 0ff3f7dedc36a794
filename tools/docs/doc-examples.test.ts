import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { createProgram } from '../../packages/cli/src/program.ts';
import { temporaryFolder } from '../test/temporary-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const { scripts }: { scripts: Record<string, string> } = JSON.parse(read('package.json'));
const pages = globSync(['*.md', 'docs/**/*.md', 'packages/{server,simulator}/README.md'], { cwd: root });

const blocksOf = (page: string, language: string): readonly string[] =>
  [...read(page).matchAll(/^```(\w+)[^\n]*\n([\s\S]*?)^```/gm)].flatMap(([, tag, block = '']) =>
    tag === language ? [block] : [],
  );

/** What a command says of its options. */
async function helpOf(name: string): Promise<string> {
  const [, billing] = /billing\.ts (\w+)$/.exec(scripts[name] ?? '') ?? [];
  const command = createProgram().commands.find((one) => one.name() === billing);
  if (command !== undefined) return [command, ...command.commands].map((one) => one.helpInformation()).join();
  const { stdout } = await promisify(execFile)('npm', ['run', '--silent', name, '--', '--help'], {
    cwd: root,
  });
  return stdout;
}

it.each(pages)('every command that %s names exists', (page) => {
  const named = [...read(page).matchAll(/\bnpm run (?:--silent )?([a-z][\w:-]*)/g)].map(
    ([, name = '']) => name,
  );
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

it.each(pages)('every program of this repository that %s names exists', (page) => {
  const files = [...read(page).matchAll(/\bnode ((?:tools|functions|extension|packages)\/[\w./-]+)/g)];
  expect(files.map(([, file = '']) => file).filter((file) => !existsSync(join(root, file)))).toEqual([]);
  const commands = createProgram().commands.map((one) => one.name());
  const named = [...read(page).matchAll(/\bnpx billing (\w+)/g)].map(([, name = '']) => name);
  expect(named.filter((name) => !['help', ...commands].includes(name))).toEqual([]);
});

it('every option that a page gives to a command is one that its help names', async () => {
  const given = pages.flatMap((page) =>
    [...read(page).matchAll(/npm run ([a-z][\w:-]*) -- ([^`\n]*)/g)].map(([, name = '', args = '']) => ({
      page,
      name,
      options: args.match(/(?<=^|\s)--[a-z][\w-]*/g) ?? [],
    })),
  );
  // What stands behind these is another program's.
  const own = given.filter(({ name, options }) => name !== 'suite' && options.length > 0);
  expect(own.flatMap(({ options }) => options).length).toBeGreaterThan(20);
  const names = [...new Set(own.map(({ name }) => name))];
  const helps = new Map(await Promise.all(names.map(async (name) => [name, await helpOf(name)] as const)));
  const unknown = own.flatMap(({ page, name, options }) =>
    options
      .filter((option) => !helps.get(name)?.includes(option))
      .map((option) => `${page}: ${name} ${option}`),
  );
  expect(unknown).toEqual([]);
});

it.each([
  ['README.md', 'ts', 'readme-example.ts', 0],
  ['docs/signing-in.md', 'ts', 'signing-in-example.tsx', 3],
  ['docs/signing-in.md', 'tsx', 'signing-in-example.tsx', 1],
] as const)(
  'the lines of %s in %s stand in a file that is type-checked against the client',
  (page, language, file, last) => {
    const blocks = blocksOf(page, language);
    expect(blocks.length).toBeGreaterThan(last);
    const shown = page === 'README.md' ? blocks.slice(0, 1) : blocks;
    const checked = read(`packages/client/test/${file}`)
      .split('\n')
      .map((line) => line.trim())
      .join('\n');
    const lines = shown
      .join('')
      .split('\n')
      .map((line) => line.replace(/\s*\/\/ .*|\s*\/\/$/, '').trim());
    expect(lines.filter((line) => line !== '').length).toBeGreaterThan(last);
    expect(lines.filter((line) => !checked.includes(line))).toEqual([]);
  },
);

it('the simulator starts in a test, and answers Stripe’s SDK, by the lines of its README', async () => {
  const [sdk = '', inTests = ''] = blocksOf('packages/simulator/README.md', 'ts');
  // In the checkout, where its packages are found.
  const file = join(temporaryFolder(join(root, '.suite')), 'example.ts');
  const [start, end = ''] = inTests.split(/(?=^await simulator\.close)/m);
  const lines = [
    start,
    sdk.replace('4242', 'simulator.port'),
    'const { data } = await stripe.prices.list();',
    end,
  ].join('\n');
  writeFileSync(file, `${lines}\nconsole.log(data.map(({ lookup_key }) => lookup_key).join());\n`);
  const { stdout } = await promisify(execFile)(process.execPath, [file]);
  expect(stdout).toBe('mug\n');
});

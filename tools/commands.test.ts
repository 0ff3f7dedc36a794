import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
/** What each script of package.json runs when all it needs is there. */
const COMMANDS = Object.entries(scripts).map(([name, script]) => {
  const [, command = ''] = script.split(/^node tools\/set-up\.mjs (?:[a-z-]+ )+-- /);
  return [name, command] as const;
});

interface Answer {
  readonly status: number;
  readonly out: string;
}
/** A command as npm runs it, without the args of the test runner. */
function run(command: string, more: NodeJS.ProcessEnv = {}): Promise<Answer> {
  const { NODE_ENV: _, VITEST: __, ...environment } = process.env;
  const env = { ...environment, ...more, PATH: `${join(root, 'node_modules/.bin')}:${environment.PATH}` };
  return new Promise((resolve) => {
    execFile('sh', ['-c', command], { cwd: root, env, timeout: 50_000 }, (error, stdout, stderr) => {
      const status = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ status, out: `${stdout}${stderr}` });
    });
  });
}
const commandOf = (name: string): string => new Map(COMMANDS).get(name) ?? '';
const STARTED = /suite: up|built in|bringing up|The simulator at/;

it('every script of package.json goes through set-up, and there are at most 12', () => {
  expect(COMMANDS.filter(([, command]) => command === '')).toEqual([]);
  expect(COMMANDS.length).toBeLessThanOrEqual(12);
});

it('every script of a workspace, and npm run pictures, runs files that are there', () => {
  const files = globSync('{functions,extension,e2e,packages/*,examples/*}/package.json', { cwd: root });
  const run = files.flatMap((file) => {
    const { scripts: own = {} } = JSON.parse(readFileSync(join(root, file), 'utf8')) as {
      readonly scripts?: Readonly<Record<string, string>>;
    };
    const words = Object.values(own).flatMap((script) => script.split(' '));
    return words.filter((word) => /\.m?[jt]s$/.test(word)).map((word) => join(root, dirname(file), word));
  });
  const pictures = readFileSync(join(root, 'tools/pictures.ts'), 'utf8').matchAll(/'([^']+\/[^']+\.ts)'/g);
  run.push(...[...pictures].map(([, file = '']) => file).filter((file) => !file.startsWith('.')));
  expect(run).toEqual(
    expect.arrayContaining(['e2e/take-loop.ts', join(root, 'packages/client/build/build-client.ts')]),
  );
  expect(run.filter((file) => !existsSync(resolve(root, file)))).toEqual([]);
});

// What a command of billing answers is in packages/cli/src/program.test.ts.
describe.concurrent('every command of package.json', () => {
  it.each(COMMANDS)('npm run %s answers --help, and starts nothing', async (_, command) => {
    const { status, out } = await run(`${command} --help`);
    expect([status, out]).toEqual([0, expect.stringMatching(/usage/i)]);
    expect(out).not.toMatch(STARTED);
  });

  it.each(COMMANDS)(
    'npm run %s answers a wrong arg with its usage, and starts nothing',
    async (_, command) => {
      const { status, out } = await run(`${command} --no-such-arg`);
      expect([status, out]).toEqual([2, expect.stringMatching(/usage/i)]);
      expect(out).not.toMatch(/^\s+at .*:\d+:\d+\)?$/m);
      expect(out).not.toMatch(STARTED);
    },
  );

  it.each([
    ['suite', 'nosuchcommand', 127, 'there is no command "nosuchcommand"'],
    ['scenario', 'no-such-scenario', 2, 'There is no scenario "no-such-scenario"'],
    ['test', 'no-such-project', 2, 'There is no project "no-such-project"'],
  ])('npm run %s -- %s says what is wrong at once', async (name, args, status, message) => {
    const answer = await run(`${commandOf(name)} ${args}`);
    expect(answer).toEqual({ status, out: expect.stringContaining(message) });
    expect(answer.out).not.toMatch(STARTED);
  });
});

it('npx billing setup with a real key and no network says so, and speaks of no simulator', async () => {
  const { status, out } = await run('billing setup', {
    PAYMENT_SECRET_KEY: 'sk_test_ownOwnOwn1234',
    NODE_OPTIONS: `--import ${new URL('./suite/no-network.mjs', import.meta.url).href}`,
  });
  expect(status).toBe(1);
  expect(out).toContain('Stripe (api.stripe.com) cannot be reached');
  expect(out).not.toContain('Is the simulator up');
});

describe.concurrent('set-up', () => {
  it('runs the command behind "--" with its args, and ends with its status', async () => {
    const print = `'console.log("ran", ...process.argv.slice(1)); process.exit(7)'`;
    expect(await run(`node tools/set-up.mjs -- node -e ${print} one --two`)).toEqual({
      status: 7,
      out: 'ran one --two\n',
    });
    expect((await run('node tools/set-up.mjs -- nosuchcommand')).status).toBe(127);
  });

  it('hands a signal on, and waits for the command to end', async () => {
    const wait = `process.on("SIGTERM", () => setTimeout(() => process.exit(5), 100)); process.kill(process.ppid, "SIGTERM"); setInterval(() => {}, 1e3)`;
    expect((await run(`node tools/set-up.mjs -- node -e '${wait}'`)).status).toBe(5);
  });

  it('answers a part that there is not with its usage', async () => {
    const { status, out } = await run('node tools/set-up.mjs nosuchpart -- node -e 1');
    expect([status, out]).toEqual([2, expect.stringMatching(/"nosuchpart" is not known.\n\nusage: /)]);
  });
});

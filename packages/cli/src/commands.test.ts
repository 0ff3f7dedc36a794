import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
/** What npm runs before a command is no command itself. */
const COMMANDS = Object.keys(scripts).filter(
  (name) => !(name.startsWith('pre') && name.slice(3) in scripts) && name !== 'prepare',
);
/** Other people's programs have words of their own. */
const OWN = COMMANDS.filter(
  (name) => !/(?:^|\s)(?:vitest|biome)\s|tools\/contract\.ts/.test(scripts[name] ?? ''),
);

interface Answer {
  readonly status: number;
  readonly out: string;
}
/** A command as npm runs it, without what comes before it, and without the words of the test runner. */
function run(name: string, words: string, more: NodeJS.ProcessEnv = {}): Promise<Answer> {
  const { NODE_ENV: _, VITEST: __, ...environment } = process.env;
  const env = { ...environment, ...more, PATH: `${join(root, 'node_modules/.bin')}:${environment.PATH}` };
  return new Promise((resolve) => {
    const shell = ['-c', `${scripts[name]} ${words}`];
    execFile('sh', shell, { cwd: root, env, timeout: 50_000 }, (error, stdout, stderr) => {
      const status = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ status, out: `${stdout}${stderr}` });
    });
  });
}
const STARTED = /suite: up|built in|bringing up|The simulator at/;

describe.concurrent('every command of package.json', () => {
  it.each(COMMANDS)('npm run %s answers --help, and starts nothing', async (name) => {
    const { status, out } = await run(name, '--help');
    expect([status, out]).toEqual([0, expect.stringMatching(/usage/i)]);
    expect(out).not.toMatch(STARTED);
  });

  it.each(OWN)('npm run %s answers a wrong word with its usage, and starts nothing', async (name) => {
    const { status, out } = await run(name, '--no-such-word');
    expect([status, out]).toEqual([2, expect.stringMatching(/usage/i)]);
    expect(out).not.toMatch(/^\s+at .*:\d+:\d+\)?$/m);
    expect(out).not.toMatch(STARTED);
  });

  it.each([
    ['suite', 'nosuchcommand', 127, 'there is no command "nosuchcommand"'],
    ['scenario', 'no-such-scenario', 2, 'There is no scenario "no-such-scenario"'],
    ['size', '/nonexistent', 2, 'no built extension'],
    ['test', 'no-such-phase', 2, 'There is no phase "no-such-phase"'],
  ])('npm run %s -- %s says what is wrong at once', async (name, words, status, told) => {
    const answer = await run(name, words);
    expect(answer).toEqual({ status, out: expect.stringContaining(told) });
    expect(answer.out).not.toMatch(STARTED);
  });
});

it('npm run stripe:setup with a real key and no network says so, and speaks of no simulator', async () => {
  const { status, out } = await run('stripe:setup', '', {
    PAYMENT_SECRET_KEY: 'sk_test_ownOwnOwn1234',
    NODE_OPTIONS: `--import ${new URL('../../../tools/suite/no-network.mjs', import.meta.url).href}`,
  });
  expect(status).toBe(1);
  expect(out).toContain('Stripe (api.stripe.com) cannot be reached');
  expect(out).not.toContain('Is the simulator up');
});

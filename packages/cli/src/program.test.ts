import type { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { customer } from './customer/customer.ts';
import { deploy } from './deploy/deploy.ts';
import { createKey, revokeKey, rotateKey } from './keys/keys.ts';
import { Refusal } from './local/refusal.ts';
import { createProgram, run } from './program.ts';
import { reconcile } from './reconcile/reconcile.ts';

vi.mock('./customer/customer.ts', () => ({ customer: vi.fn(async () => 1) }));
vi.mock('./deploy/deploy.ts', () => ({ deploy: vi.fn(async () => 0) }));
vi.mock('./keys/keys.ts', () => ({
  openDesk: vi.fn(async () => ({})),
  createKey: vi.fn(async () => 0),
  rotateKey: vi.fn(async () => 0),
  revokeKey: vi.fn(async () => 0),
}));
vi.mock('./reconcile/reconcile.ts', () => ({ reconcile: vi.fn(async () => 0) }));

let printed: { readonly out: MockInstance; readonly error: MockInstance };
beforeEach(() => {
  printed = {
    out: vi.spyOn(process.stdout, 'write').mockReturnValue(true),
    error: vi.spyOn(process.stderr, 'write').mockReturnValue(true),
  };
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.clearAllMocks();
});

/** What `billing` prints for these args, and its exit status. */
async function billing(...args: string[]) {
  const status = await run(args);
  const text = (spy: MockInstance) => spy.mock.calls.flat().join('');
  return { status, out: text(printed.out), error: text(printed.error) };
}

function pathsOf(command: Command, above: readonly string[] = []): readonly (readonly string[])[] {
  return command.commands.flatMap((one) => {
    const path = [...above, one.name()];
    return [path, ...pathsOf(one, path)];
  });
}
const PATHS = pathsOf(createProgram());

describe.each(PATHS.map((path) => [path.join(' '), path] as const))('billing %s', (name, path) => {
  it('answers --help and -h with its usage, and does nothing', async () => {
    for (const option of ['--help', '-h']) {
      const { status, out } = await billing(...path, option);
      expect([status, out]).toEqual([0, expect.stringContaining(`Usage: billing ${name}`)]);
    }
  });

  it('answers an unknown option with its usage and, last, the reason, and does nothing', async () => {
    const { status, out, error } = await billing(...path, '--no-such-option');
    expect([status, out]).toEqual([2, '']);
    expect(error).toMatch(/^Usage: billing .*\nMore: npx billing .*--help\n\nerror: .+\n(\(.*\)\n)?$/);
    for (const work of [customer, deploy, reconcile]) expect(work).not.toHaveBeenCalled();
  });
});

it.each(createProgram().commands.flatMap((one) => (one.commands.length > 0 ? one.commands : [one])))(
  '$_name’s help has examples that are right, and its exit statuses',
  async (command) => {
    command.outputHelp();
    const help = printed.out.mock.calls.flat().join('');
    expect(help).toMatch(/\nExit status:\n {2}0 {2}\S/);
    const [, examples = ''] = /\nExamples:\n((?: {2}.+\n)+)/.exec(help) ?? [];
    expect(examples).toMatch(
      new RegExp(`npx billing (?:customer |catalog |keys |import )?(?:${command.name()}|[^ ]+@)`),
    );
  },
);

it('lists every command for "billing --help", and the same for "billing help" of one', async () => {
  const { status, out } = await billing('--help');
  expect(status).toBe(0);
  for (const [name = ''] of PATHS) expect(out).toMatch(new RegExp(`^  ${name} `, 'm'));
  printed.out.mockClear();
  const direct = await billing('reconcile', '--help');
  printed.out.mockClear();
  expect(await billing('help', 'reconcile')).toEqual(direct);
});

it('suggests the near command for one that there is not, and ends with 2', async () => {
  const { status, error } = await billing('docter');
  expect(status).toBe(2);
  expect(error).toContain("error: unknown command 'docter'\n(Did you mean doctor?)");
});

it('says its version', async () => {
  expect(await billing('--version')).toMatchObject({
    status: 0,
    out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
});

it('needs a command', async () => {
  expect((await billing()).status).toBe(2);
});

it('takes a user, an export into a file, and an erasure that is dry unless it is said', async () => {
  const asked = async (...args: string[]) => {
    expect(await run(['customer', ...args])).toBe(1);
    return vi.mocked(customer).mock.lastCall?.[0];
  };
  expect(await asked('someone')).toEqual({ verb: 'show', who: 'someone', project: undefined });
  expect(await asked('ada@example.test')).toMatchObject({ verb: 'show', who: 'ada@example.test' });
  const file = { file: 'x.json', resume: false };
  const exported = { verb: 'export', who: 'someone', project: 'my-shop-1', ...file };
  expect(await asked('export', 'someone', '--file', 'x.json', '--project', 'my-shop-1')).toEqual(exported);
  expect(await asked('--project', 'my-shop-1', 'export', 'someone', '--file', 'x.json')).toEqual(exported);
  expect(await asked('erase', 'someone')).toMatchObject({ verb: 'erase', who: 'someone', apply: false });
  expect(await asked('erase', 'someone', '--apply')).toMatchObject({ apply: true });
});

it.each([
  ['nobody', []],
  ['export without a file', ['export', 'someone']],
  ['a file without an export', ['someone', '--file', 'x.json']],
  ['an apply that nothing takes', ['someone', '--apply']],
  ['an apply of an export', ['export', 'someone', '--file', 'x.json', '--apply']],
  ['two users', ['someone', 'someone-else']],
  ['three args', ['erase', 'someone', 'someone-else']],
  ['an unknown option', ['someone', '--aply']],
  ['what can be no uid', ['erase', 'some/one']],
])('customer: %s gets the usage', async (_what, args) => {
  expect(await billing('customer', ...args)).toMatchObject({
    status: 2,
    error: expect.stringContaining('Usage: billing customer'),
  });
  expect(customer).not.toHaveBeenCalled();
});

it('deploys with what is asked, and to no site where pages are served elsewhere', async () => {
  await run(['deploy', '--project', 'my-shop-1', '--dry-run']);
  await run(['deploy', '--site', 'pages', '--replace']);
  await run(['deploy', '--no-hosting']);
  expect(vi.mocked(deploy).mock.calls.flat()).toEqual([
    { project: 'my-shop-1', site: undefined, mayReplace: false, isDryRun: true },
    { project: undefined, site: 'pages', mayReplace: true, isDryRun: false },
    { project: undefined, site: null, mayReplace: false, isDryRun: false },
  ]);
});

it('makes, rotates and revokes keys as it is told', async () => {
  await run(['keys', 'create', '--scope', 'consume,hold', '--name', 'worker', '--expires', '90d']);
  const day = 24 * 3_600_000;
  const asked = { name: 'worker', scopes: ['consume', 'hold'], lasts: 90 * day };
  expect(vi.mocked(createKey).mock.lastCall?.[1]).toEqual(asked);
  await run(['keys', 'create', '--scope', 'read']);
  expect(vi.mocked(createKey).mock.lastCall?.[1]).toEqual({ name: '', scopes: ['read'], lasts: null });
  await run(['keys', 'rotate', 'k3v9q2m7x1ab']);
  await run(['keys', 'rotate', 'k3v9q2m7x1ab', '--overlap', '0m', '--expires', '12h']);
  expect(vi.mocked(rotateKey).mock.calls.map(([, ...rest]) => rest)).toEqual([
    ['k3v9q2m7x1ab', { overlap: day, lasts: null }],
    ['k3v9q2m7x1ab', { overlap: 0, lasts: day / 2 }],
  ]);
});

it('a key that is pasted in whole, where its id belongs, is not repeated', async () => {
  const { status, out, error } = await billing('keys', 'revoke', `ebk_k3v9q2m7x1ab_${'s'.repeat(43)}`);
  expect([status, `${out}${error}`]).toEqual([0, expect.not.stringContaining('sss')]);
  expect(vi.mocked(revokeKey).mock.lastCall?.[1]).toBe('k3v9q2m7x1ab');
});

it.each([
  ['no scope', ['create']],
  ['a scope that there is not', ['create', '--scope', 'read,all']],
  ['an empty scope', ['create', '--scope', '']],
  ['a life of nothing', ['create', '--scope', 'read', '--expires', '0d']],
  ['a life without a unit', ['create', '--scope', 'read', '--expires', '90']],
  ['an overlap beyond a month', ['rotate', 'k3v9q2m7x1ab', '--overlap', '31d']],
  ['an id that leads elsewhere', ['revoke', '../customers/a']],
])('keys: %s gets the usage', async (_what, args) => {
  expect(await billing('keys', ...args)).toMatchObject({
    status: 2,
    error: expect.stringContaining('Usage: billing keys'),
  });
  for (const work of [createKey, rotateKey, revokeKey]) expect(work).not.toHaveBeenCalled();
});

it('compares all users or one, and refuses what can be no uid', async () => {
  await run(['reconcile']);
  await run(['reconcile', 'someone', '--apply', '--rebuild', '--project', 'my-shop-1']);
  await run(['reconcile', '--apply', '--resume']);
  expect(vi.mocked(reconcile).mock.calls.flat()).toEqual([
    { uid: null, apply: false, rebuild: false, resume: false, project: undefined },
    { uid: 'someone', apply: true, rebuild: true, resume: false, project: 'my-shop-1' },
    { uid: null, apply: true, rebuild: false, resume: true, project: undefined },
  ]);
  expect((await billing('reconcile', 'some/one')).status).toBe(2);
});

it('refuses a day of a report that there is not', async () => {
  const { status, error } = await billing('report', '--from', 'yesterday');
  expect([status, error]).toEqual([2, expect.stringContaining('--from: must be a day')]);
});

it('says what is missing without a trace, and anything else with one', async () => {
  const error = vi.spyOn(console, 'error').mockReturnValue();
  const bug = new Error('bug');
  vi.mocked(reconcile).mockRejectedValueOnce(new Refusal('no suite')).mockRejectedValueOnce(bug);
  expect([await run(['reconcile']), await run(['reconcile'])]).toEqual([2, 2]);
  expect(error.mock.calls).toEqual([['no suite'], [bug]]);
});

it('takes what is to be given, with a reason, and what is to be taken back', async () => {
  const asked = async (...args: string[]) => {
    expect(await run(['customer', ...args])).toBe(1);
    return vi.mocked(customer).mock.lastCall?.[0];
  };
  const why = ['--reason', 'a beta tester'];
  expect(await asked('grant', 'someone', '--credits', '100', '--expires', '2999-12-31', ...why)).toEqual({
    ...{ verb: 'grant', who: 'someone', project: undefined },
    asked: {
      ...{ credits: 100, ends: { at: Date.parse('3000-01-01') }, entitlement: null, until: null },
      ...{ reason: 'a beta tester', actor: null, mayBeLarge: true },
    },
  });
  const plan = ['--entitlement', 'pro', '--until', '90d', '--actor', 'ada', '--project', 'my-shop-1'];
  expect(await asked('grant', 'ada@example.test', ...plan, ...why)).toMatchObject({
    ...{ who: 'ada@example.test', project: 'my-shop-1' },
    asked: { credits: 0, ends: null, entitlement: 'pro', until: expect.any(Number), actor: 'ada' },
  });
  expect(await asked('grant', 'someone', '--credits', '1001', ...why)).toMatchObject({
    asked: { mayBeLarge: false },
  });
  expect(await asked('grant', 'someone', '--credits', '1001', '--yes', ...why)).toMatchObject({
    asked: { mayBeLarge: true },
  });
  expect(await asked('revoke', 'someone', 'hand_0', ...why)).toEqual({
    ...{ verb: 'revoke', who: 'someone', project: undefined },
    asked: { grant: 'hand_0', reason: 'a beta tester', actor: null },
  });
});

it.each([
  ['a grant without a reason', ['grant', 'someone', '--credits', '1']],
  ['a reason of blanks', ['grant', 'someone', '--credits', '1', '--reason', ' ']],
  ['half a credit', ['grant', 'someone', '--credits', '0.5', '--reason', 'x']],
  ['no credit', ['grant', 'someone', '--credits', '0', '--reason', 'x']],
  ['a day that is over', ['grant', 'someone', '--credits', '1', '--expires', '2026-01-01', '--reason', 'x']],
  ['what is no day', ['grant', 'someone', '--credits', '1', '--expires', 'soon', '--reason', 'x']],
  ['a revocation without a grant', ['revoke', 'someone', '--reason', 'x']],
  ['a revocation without a reason', ['revoke', 'someone', 'hand_0']],
])('%s is given to nobody', async (_what, args) => {
  expect((await billing('customer', ...args)).status).toBe(2);
  expect(customer).not.toHaveBeenCalled();
});

import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { ask, takeYes } from './ask.mjs';

/** What is answered at a terminal, and all that it showed. `undefined`: it is closed without an answer. */
async function asked(answer: string | undefined, environment: Record<string, string> = {}, isTTY = true) {
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = Object.assign(new PassThrough(), { isTTY });
  if (answer === undefined) input.end();
  else input.write(`${answer}\n`);
  const agreed = await ask('The plan.', { environment }, { input, output });
  return { agreed, shown: String(output.read()) };
}

test.each([
  ['', true],
  ['y', true],
  ['Yes', true],
  ['n', false],
  ['what?', false],
  [undefined, false],
])('the answer %j to the one question is %s', async (answer, expected) => {
  const { agreed, shown } = await asked(answer);
  expect([agreed, shown.match(/The plan\.\n/g)?.length, shown.match(/Bring it/g)?.length]).toEqual([
    expected,
    1,
    1,
  ]);
});

test.each([
  ['npm start --yes', { npm_config_yes: 'true' }, true],
  ['CI', { CI: 'true' }, true],
  ['no terminal', {}, false],
])('with %s nobody is asked, and it is said what comes', async (_, environment, isTTY) => {
  const { agreed, shown } = await asked('n', environment, isTTY);
  expect([agreed, shown]).toEqual([true, '\nThe plan.\n']);
});

test.each([{ CI: 'false' }, { CI: '' }, { CI: '0' }, { npm_config_yes: '' }, { npm_config_yes: 'false' }])(
  '%j asks',
  async (environment) => {
    expect((await asked('n', environment)).agreed).toBe(false);
  },
);

test.each([
  ['firestore --yes', true, 'firestore'],
  ['--yes', true, ''],
  [
    'firestore -- node tools/start.ts --yes --no-browser',
    true,
    'firestore -- node tools/start.ts --no-browser',
  ],
  [
    'firestore -- node tools/start.ts --no-browser --yes',
    true,
    'firestore -- node tools/start.ts --no-browser',
  ],
  [
    'firestore -- node tools/suite.ts npx some --yes',
    false,
    'firestore -- node tools/suite.ts npx some --yes',
  ],
  ['packages -- node billing.ts deploy --yes', false, 'packages -- node billing.ts deploy --yes'],
  ['firestore', false, 'firestore'],
])('%s: --yes is said: %s', (line, yes, left) => {
  const split = (text: string) => text.split(' ').filter((word) => word !== '');
  expect(takeYes(split(line))).toEqual({ yes, args: split(left) });
});

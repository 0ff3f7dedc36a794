import { describe, expect, test } from 'vitest';
import { chooseHidane } from '../find-firestore.mjs';
import { setting } from './test-setting.ts';

describe('hidane of npm’s registry', () => {
  /** An npm that has the package, with the program in the place that the test says. */
  const registry = (program: string): string => `[ "$1" = view ] && exit
while [ "$1" != --prefix ]; do shift; done
exec '${process.execPath}' -e '
const { dirname, join } = require("node:path");
const path = join(process.argv[1], "node_modules", "${program}");
require("node:fs").mkdirSync(dirname(path), { recursive: true });
require("node:fs").writeFileSync(path, "#!/bin/sh\\necho hidane 0.6.0", { mode: 0o755 });
' "$2"`;

  test.each([
    ['linux', 'x64', '@hidane/linux-x64/bin/hidane'],
    ['darwin', 'arm64', '@hidane-dev/darwin-arm64/bin/hidane'],
    ['win32', 'x64', '@hidane/win32-x64/bin/hidane.exe'],
    ['linux', 'arm64', '.bin/hidane'],
  ])('is taken for %s on %s where the release cannot be had: %s', async (platform, arch, program) => {
    const at = await setting({ platform, arch, programs: { npm: registry(program) } });
    await at.bring();
    const found = chooseHidane(at.machine, at.root);
    expect(found.kind).toBe('hidane');
    expect(at.machine.output(found.kind === 'hidane' ? found.program : '', ['--version'])).toContain('0.6.0');
    expect(at.internet.asked).toEqual(['GET /hidane/v0.6.0/sha256sums.txt']);
  });
});

import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const LEFT_OUT = new Set(['node_modules', 'dist', 'dist-dev', '.git', '.suite', 'docs', '.firebase']);

/** A copy of this checkout's sources, for a test that changes them. Its packages are links to this checkout's. */
export function copyCheckout(into: string): void {
  for (const name of readdirSync(ROOT)) {
    if (LEFT_OUT.has(name)) continue;
    cpSync(join(ROOT, name), join(into, name), {
      recursive: true,
      filter: (path) => !LEFT_OUT.has(path.split('/').at(-1) ?? ''),
    });
  }
  const modules = join(into, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (name !== '@extension-billing' && name !== '.vite')
      symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  mkdirSync(join(modules, '@extension-billing'));
  for (const name of readdirSync(join(ROOT, 'packages')))
    symlinkSync(join(into, 'packages', name), join(modules, '@extension-billing', name));
}

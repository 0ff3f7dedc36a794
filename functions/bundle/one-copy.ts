import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

const MODULES = 'node_modules/';

/**
 * Bundles one copy of a package where several of the very same version are installed. npm puts the gRPC client's
 * libraries twice side by side when another version lies above them; each copy costs its start-up time again.
 */
export const oneCopy: Plugin = {
  name: 'one-copy',
  setup(build) {
    const first = new Map<string, string>();
    build.onResolve({ filter: /^[^./]/ }, async ({ path, importer, resolveDir, kind, pluginData }) => {
      if (pluginData === oneCopy.name) return undefined;
      const found = await build.resolve(path, { importer, resolveDir, kind, pluginData: oneCopy.name });
      const root = packageFolder(found.path);
      if (found.external || root === null) return undefined;
      const id = identify(root);
      if (id === null) return undefined;
      const known = first.get(id);
      if (known === undefined) first.set(id, root);
      if (known === undefined || known === root) return undefined;
      return { path: known + found.path.slice(root.length) };
    });
  },
};

/** The folder of the package that a file belongs to; null for a file that belongs to none. */
function packageFolder(file: string): string | null {
  const at = file.lastIndexOf(MODULES);
  if (at < 0) return null;
  const [scope = '', name = ''] = file.slice(at + MODULES.length).split('/');
  return file.slice(0, at + MODULES.length) + (scope.startsWith('@') ? `${scope}/${name}` : scope);
}

function identify(folder: string): string | null {
  const { name, version }: { name?: string; version?: string } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  return name === undefined || version === undefined ? null : `${name}@${version}`;
}

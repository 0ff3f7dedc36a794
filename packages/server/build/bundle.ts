import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { BuildOptions } from 'esbuild';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** What is installed beside the package; and the provider's SDK, which is never loaded: a backend sells nothing. */
export function installedBeside(): string[] {
  const { dependencies, peerDependencies }: Record<'dependencies' | 'peerDependencies', object> = JSON.parse(
    readFileSync(here('../package.json'), 'utf8'),
  );
  const names = [...Object.keys(dependencies), ...Object.keys(peerDependencies), 'stripe'];
  return names.flatMap((name) => [name, `${name}/*`]);
}

/** The package's two doors, as JavaScript for any bundler. The service's own code is in the door that needs it. */
export const doors = {
  entryPoints: { http: here('../src/exports/http.ts'), 'in-process': here('../src/exports/in-process.ts') },
  bundle: true,
  splitting: true,
  chunkNames: 'shared-[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  sourcesContent: false,
  legalComments: 'none',
  logLevel: 'warning',
} as const satisfies BuildOptions;

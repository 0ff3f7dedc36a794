import { posix } from 'node:path';
import { readAsset } from './page.ts';

const IMPORT = /^import \{[^}]*\} from '([^']+)';\n/gm;

/**
 * One script out of a module and everything that it imports, each once and after what it needs: the modules keep
 * their names, so they only lose `import` and `export`. Names are unique across this folder's scripts; a clash
 * is a syntax error in the browser, and the tests parse the result.
 */
export function bundleScript(entry: string): string {
  const included = new Set<string>();
  const parts: string[] = [];
  const include = (path: string): void => {
    if (included.has(path)) return;
    included.add(path);
    const source = readAsset(path);
    for (const [, specifier = ''] of source.matchAll(IMPORT)) {
      include(posix.join(posix.dirname(path), specifier));
    }
    parts.push(`// ${path}\n${source.replace(IMPORT, '').replace(/^export /gm, '')}`);
  };
  include(entry);
  return parts.join('\n');
}

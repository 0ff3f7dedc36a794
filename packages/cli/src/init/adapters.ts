import { crxjs } from './adapters/crxjs.ts';
import { plain } from './adapters/plain.ts';
import { plasmo } from './adapters/plasmo.ts';
import { vite } from './adapters/vite.ts';
import { webpack } from './adapters/webpack.ts';
import { wxt } from './adapters/wxt.ts';
import type { Adapter } from './change.ts';
import type { Kind } from './extension.ts';

/** Every kind of extension that `init` knows, the most particular first: `plain` takes whatever has a manifest. */
export const ADAPTERS: readonly Adapter[] = [wxt, plasmo, crxjs, vite, webpack, plain];

/** @throws Error where there is none, which `detect` does not answer */
export function adapterOf(kind: Kind): Adapter {
  const found = ADAPTERS.find((adapter) => adapter.kind === kind);
  if (found === undefined) throw new Error(`There is no adapter for ${kind}.`);
  return found;
}

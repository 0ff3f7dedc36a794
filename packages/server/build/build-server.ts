// npm run build -w @extension-billing/server: the package that backends install, into dist/.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { emitTypes } from '../../client/build/emit-types.ts';
import { doors, installedBeside } from './bundle.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const dist = here('../dist');

rmSync(dist, { recursive: true, force: true });
await build({ ...doors, external: installedBeside(), outdir: dist });
await emitTypes(here('..'), join(dist, 'types'), '../..');

// node packages/client/build/write-api.ts: docs/client-api.md, from the declarations that adopters get.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { apiPage, readDoors } from './api-page.ts';
import { emitTypes } from './emit-types.ts';
import { widenOptional } from './widen-optional.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const types = mkdtempSync(join(tmpdir(), 'billing-api-'));
try {
  await emitTypes(here('..'), types, '..', widenOptional);
  writeFileSync(here('../../../docs/client-api.md'), apiPage(readDoors(types)));
} finally {
  rmSync(types, { recursive: true, force: true });
}

#!/usr/bin/env node
// npx @extension-billing/client init [folder] [--yes] [--undo]
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { main, packageAt } from './main.ts';

process.exitCode = await main(
  process.argv.slice(2),
  packageAt(dirname(fileURLToPath(import.meta.url))),
).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  return 1;
});

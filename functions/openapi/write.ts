// npm run openapi: writes docs/openapi.json and the tables of docs/api.md.
import { writeFileSync } from 'node:fs';
import { parseArgs } from '../../tools/args.ts';
import { generatedFiles } from './generated.ts';

const USAGE = 'usage: npm run openapi\n  writes docs/openapi.json and the tables of docs/api.md';
parseArgs(process.argv.slice(2), USAGE, {});
for (const { file, text } of generatedFiles()) {
  writeFileSync(file, text);
  console.log(`wrote ${file}`);
}

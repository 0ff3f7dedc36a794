// npm run openapi: writes docs/openapi.json.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseWords } from '../../packages/cli/src/command-line.ts';
import { printDocument } from './print.ts';

parseWords(process.argv.slice(2), 'usage: npm run openapi\n  writes docs/openapi.json', {});
const file = fileURLToPath(new URL('../../docs/openapi.json', import.meta.url));
writeFileSync(file, printDocument());
console.log(`wrote ${file}`);

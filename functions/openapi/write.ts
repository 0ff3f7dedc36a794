// npm run openapi: writes docs/openapi.json.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { printDocument } from './print.ts';

const file = fileURLToPath(new URL('../../docs/openapi.json', import.meta.url));
writeFileSync(file, printDocument());
console.log(`wrote ${file}`);

// node tools/scale.ts: plays what docs/scale.md shows (half a minute), and writes it with docs/scale.json.
import { simulateAll, writeScale } from './scale/scale-page.ts';

writeScale(simulateAll());
console.log('docs/scale.json and docs/scale.md are written.');

// npm run validate [-- <phase…>]: the format, then everything that npm test looks at.
import { spawnSync } from 'node:child_process';
import { answerHelp } from './args.ts';
import { chooseOrSay, TEST_USAGE } from './test/choose-or-say.ts';

const words = process.argv.slice(2);
answerHelp(words, TEST_USAGE.replace('npm test', 'npm run validate'));
chooseOrSay(words);
const format = spawnSync('biome', ['format', '.'], { stdio: 'inherit' });
if (format.status !== 0) process.exit(format.status ?? 1);
process.exit(spawnSync('node', ['tools/test.ts', ...words], { stdio: 'inherit' }).status ?? 1);

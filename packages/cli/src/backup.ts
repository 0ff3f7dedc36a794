// npm run backup -- <folder>, npm run restore -- <folder>: all that the suite on this machine holds, and the way back.

import { parseWords } from '../../../tools/args.ts';
import { backUp, findSuite, restore } from './backup/copy.ts';
import type { Manifest } from './backup/folder.ts';
import { CannotConnect } from './support/connect.ts';

const USAGE = `usage: npm run backup -- <folder>   writes Firestore, the auth users and the simulator's state into a new folder
       npm run restore -- <folder>  puts them in place of everything that the suite holds
       Both are for the suite that runs on this machine (npm start); docs/operating.md says what to do in production.`;

async function main(words: readonly string[]): Promise<void> {
  const { positionals } = parseWords(words, USAGE, { allowPositionals: true });
  const [verb, folder, ...more] = positionals;
  if (folder === undefined || more.length > 0) throw new CannotConnect(USAGE);
  if (verb === 'backup') {
    console.log(`${describe(await backUp(await findSuite(process.env), folder))} are in ${folder}`);
    return;
  }
  if (verb === 'restore') {
    console.log(`${describe(await restore(await findSuite(process.env), folder))} are back from ${folder}`);
    return;
  }
  throw new CannotConnect(USAGE);
}

function describe({ documents, users, files, madeAt }: Manifest): string {
  const provider = 'simulator.json' in files ? ' and the simulator’s state' : '';
  return `${documents} documents, ${users} users${provider} of ${madeAt.slice(0, 16).replace('T', ' ')}Z`;
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error instanceof CannotConnect ? error.message : error);
    process.exit(2);
  },
);

// Brings what the commands need, and skips what is there. Plain Node 20 or newer and its built-in modules
// only: it runs on a fresh clone, before anything is installed.
//
//   node tools/set-up.mjs [packages] [firestore] [browser | browser-if-possible] [stripe-cli]
//                           [stripe-mock | stripe-mock-if-possible] [schemathesis | schemathesis-if-possible]
//
// No word: all but stripe-cli and stripe-mock, which only test:cli needs, and schemathesis; the tests take stripe-mock
// and schemathesis if possible.
import { fileURLToPath } from 'node:url';
import { bringChromium } from './set-up/bring-chromium.mjs';
import { bringFirestore } from './set-up/bring-firestore.mjs';
import { bringPackages } from './set-up/bring-packages.mjs';
import { bringSchemathesis } from './set-up/bring-schemathesis.mjs';
import { bringStripeCli } from './set-up/bring-stripe-cli.mjs';
import { bringStripeMock } from './set-up/bring-stripe-mock.mjs';
import { copySecrets } from './set-up/copy-secrets.mjs';
import { thisMachine } from './set-up/machine.mjs';
import { say } from './set-up/run.mjs';

const LEAST_NODE = 20;
const PARTS = [
  ...['packages', 'firestore', 'browser', 'browser-if-possible', 'stripe-cli', 'stripe-mock'],
  ...['stripe-mock-if-possible', 'schemathesis', 'schemathesis-if-possible'],
];
const USAGE = `usage: npm run set-up [-- <part…>]\n  parts: ${PARTS.join(', ')}`;

/** @param {readonly string[]} words */
async function main(words) {
  if (Number(process.versions.node.split('.')[0]) < LEAST_NODE) {
    throw new Error(`Node ${LEAST_NODE} or newer is needed to begin with; this is ${process.version}.`);
  }
  if (words.includes('--help') || words.includes('-h')) return console.log(USAGE);
  const unknown = words.find((word) => !PARTS.includes(word));
  if (unknown !== undefined) {
    console.error(`"${unknown}" is not known.\n\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  const wants = (/** @type {string} */ word) => words.length === 0 || words.includes(word);
  const root = fileURLToPath(new URL('..', import.meta.url));
  const machine = thisMachine(process.env);
  const started = Date.now();
  await bringPackages(root);
  copySecrets(root);
  if (wants('firestore')) await bringFirestore(machine, root);
  if (wants('browser')) await bringChromium(machine, root);
  else if (wants('browser-if-possible')) {
    await bringChromium(machine, root).catch((error) => say(`${error.message}\nGoing on without one.`));
  }
  if (words.includes('stripe-cli')) await bringStripeCli(machine);
  if (words.includes('stripe-mock')) await bringStripeMock(machine);
  else if (words.includes('stripe-mock-if-possible')) {
    await bringStripeMock(machine).catch((error) => say(`${error.message}\nGoing on without it.`));
  }
  if (words.includes('schemathesis')) await bringSchemathesis(machine);
  else if (words.includes('schemathesis-if-possible')) {
    await bringSchemathesis(machine).catch((error) => say(`${error.message}\nGoing on without it.`));
  }
  const seconds = Math.round((Date.now() - started) / 1000);
  if (seconds > 1) say(`done in ${seconds} s`);
}

main(process.argv.slice(2)).catch((error) => {
  console.error(`\nset-up failed: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
});

// Brings what a command needs, skips what is there, and runs the command. Plain Node 20 or newer and its built-in
// modules only: it runs on a fresh clone, before anything is installed.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { takeYes } from './set-up/ask.mjs';
import { bringChromium } from './set-up/bring-chromium.mjs';
import { bringFirefox } from './set-up/bring-firefox.mjs';
import { bringFirestore } from './set-up/bring-firestore.mjs';
import { bringPackages } from './set-up/bring-packages.mjs';
import { bringPythonProgram } from './set-up/bring-python.mjs';
import { bringStripeCli } from './set-up/bring-stripe-cli.mjs';
import { bringStripeMock } from './set-up/bring-stripe-mock.mjs';
import { hidaneFolder } from './set-up/find-firestore.mjs';
import { thisMachine } from './set-up/machine.mjs';
import { become, say } from './set-up/run.mjs';
import { SCHEMATHESIS } from './set-up/schemathesis.mjs';

const LEAST_NODE = 20;
const root = fileURLToPath(new URL('..', import.meta.url));

/** @type {Readonly<Record<string, (machine: import('./set-up/machine.mjs').Machine) => Promise<void>>>} */
const PARTS = {
  packages: async () => {},
  firestore: (machine) => bringFirestore(machine, root),
  browser: (machine) => bringChromium(machine, root),
  firefox: (machine) => bringFirefox(machine, root),
  'stripe-cli': bringStripeCli,
  'stripe-mock': bringStripeMock,
  schemathesis: (machine) => bringPythonProgram(machine, SCHEMATHESIS),
};
const USUAL = ['packages', 'firestore', 'browser'];
const USAGE = `usage: node tools/set-up.mjs [--yes] [<part…>] [-- <command> [<arg…>]]
  parts: ${Object.keys(PARTS).join(', ')}; with "-if-possible" behind it one may be missing
  --yes: nothing is asked before something is downloaded (npm start --yes does the same)
  The npm packages always come. Without part and command: ${USUAL.join(', ')}.`;

/** @param {readonly string[]} parts @param {boolean} yes */
async function bring(parts, yes) {
  const machine = thisMachine({ ...process.env, ...(yes ? { npm_config_yes: 'true' } : {}) });
  const started = Date.now();
  await bringPackages(root);
  for (const part of parts) {
    const name = part.replace(/-if-possible$/, '');
    const brought = PARTS[name]?.(machine);
    await (name === part
      ? brought
      : brought?.catch((error) => say(`${error.message}\nGoing on without it.`)));
  }
  const seconds = Math.round((Date.now() - started) / 1000);
  if (seconds > 1) say(`done in ${seconds} s`);
}

/** @param {readonly string[]} words */
async function main(words) {
  if (Number(process.versions.node.split('.')[0]) < LEAST_NODE) {
    throw new Error(`Node ${LEAST_NODE} or newer is needed to begin with; this is ${process.version}.`);
  }
  const { yes, args } = takeYes(words);
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  const parts = args.slice(0, end);
  const [command, ...rest] = args.slice(end + 1);
  if (parts.includes('--help') || parts.includes('-h')) return console.log(USAGE);
  const unknown = parts.find((part) => !(part.replace(/-if-possible$/, '') in PARTS));
  if (unknown !== undefined) {
    console.error(`"${unknown}" is not known.\n\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  if (command === undefined) return bring(parts.length === 0 ? USUAL : parts, yes);
  // Nothing has to be built for somebody who only asks how a command is used.
  const asksHelp = rest.includes('--help') || rest.includes('-h');
  await bring(asksHelp ? [] : parts, yes);
  const ofPackages = join(root, 'node_modules', '.bin');
  become(command, rest, { before: ofPackages, after: join(hidaneFolder(thisMachine(process.env)), 'bin') });
}

main(process.argv.slice(2)).catch((error) => {
  console.error(`\nset-up failed: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
});

import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  findStripeCli,
  STRIPE_CLI_VERSION,
  stripeCliFolder,
  WAYS_TO_STRIPE_CLI,
} from './find-stripe-cli.mjs';
import { cacheFolder, onPath } from './machine.mjs';
import { run, say } from './run.mjs';

/** @typedef {import('./machine.mjs').Machine} Machine */

const MODULE = 'github.com/stripe/stripe-cli';
// `go install …@version` refuses a module with replace directives, so the program is built as a tool of an
// empty module.
const TOOLS = `//go:build tools

package tools

import _ "${MODULE}/cmd/stripe"
`;

/**
 * Makes sure that there is a Stripe CLI: one on the machine, else built by Go into the project's cache.
 *
 * @param {Machine} machine
 * @throws {Error} naming the ways to get one when none could be had.
 */
export async function bringStripeCli(machine) {
  if (findStripeCli(machine)) return;
  if (machine.environment.STRIPE_CLI) {
    throw new Error(`STRIPE_CLI names ${machine.environment.STRIPE_CLI}, which is not a program.`);
  }
  const [go] = onPath(machine, 'go');
  if (go === undefined) throw new Error(`There is no Go here.\n${WAYS_TO_STRIPE_CLI}`);
  say(`building Stripe's CLI ${STRIPE_CLI_VERSION} with Go (about 2 minutes, once for all clones) …`);
  mkdirSync(cacheFolder(machine), { recursive: true });
  const place = stripeCliFolder(machine);
  const folder = mkdtempSync(`${place}.`);
  try {
    writeFileSync(join(folder, 'tools.go'), TOOLS);
    const cwd = folder;
    const env = { GOFLAGS: '-mod=mod' };
    const built =
      (await run(go, ['mod', 'init', 'example.test/stripe-cli'], { cwd, quiet: true })) &&
      (await run(go, ['get', `${MODULE}@v${STRIPE_CLI_VERSION}`], { cwd, quiet: true })) &&
      (await run(go, ['build', '-o', 'stripe', `${MODULE}/cmd/stripe`], { cwd, env }));
    if (!built) throw new Error(`Go could not build Stripe's CLI.\n${WAYS_TO_STRIPE_CLI}`);
    rmSync(place, { recursive: true, force: true });
    renameSync(folder, place);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

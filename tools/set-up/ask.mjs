// One question to whoever sits before the set-up.
import { createInterface } from 'node:readline/promises';

/** @typedef {import('./machine.mjs').Machine} Machine */

/**
 * Shows what will be done, and asks; an empty answer is a yes. Nobody is asked with `--yes` (npm's own, or set-up's),
 * in CI, and where no terminal is there to answer at: then it is done, and has been said.
 *
 * @param {string} plan @param {Pick<Machine, 'environment'>} machine
 * @param {{ input?: NodeJS.ReadableStream & { isTTY?: boolean },
 *   output?: NodeJS.WritableStream & { isTTY?: boolean } }} [terminal]
 */
export async function ask(plan, { environment }, { input = process.stdin, output = process.stdout } = {}) {
  output.write(`\n${plan}\n`);
  if (environment.npm_config_yes === 'true' || isCi(environment) || !input.isTTY || !output.isTTY)
    return true;
  const questions = createInterface({ input, output });
  try {
    const ended = new Promise((resolve) => questions.once('close', () => resolve('no')));
    const answer = await Promise.race([questions.question('Bring it? [Y/n] '), ended]);
    return /^(?:y|yes|)$/i.test(String(answer).trim());
  } finally {
    questions.close();
  }
}

/** @param {Machine['environment']} environment */
function isCi({ CI }) {
  return CI !== undefined && !['', '0', 'false'].includes(CI);
}

/**
 * Takes `--yes` from the options of set-up, and from those that a command's script is given first
 * (`npm start -- --yes`); what a command gives to another one (`npm run suite -- npx some --yes`) is not its own.
 *
 * @param {readonly string[]} args
 * @returns {{ yes: boolean, args: readonly string[] }}
 */
export function takeYes(args) {
  const command = args.indexOf('--');
  const isOwn = (/** @type {string} */ word, /** @type {number} */ index) => {
    if (word !== '--yes') return false;
    if (command < 0 || index < command) return true;
    // `-- node tools/start.ts --yes`: behind the program and its script only options.
    return args.slice(command + 3, index).every((before) => before.startsWith('-'));
  };
  const left = args.filter((word, index) => !isOwn(word, index));
  return { yes: left.length < args.length, args: left };
}

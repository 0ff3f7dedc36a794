import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ask } from './ask.mjs';
import { withLock } from './fetch/lock.mjs';
import { readNetwork } from './fetch/network.mjs';
import { words } from './fetch/request.mjs';
import { chooseHidane, chooseOfficial, officialMark, WAYS_TO_FIRESTORE } from './find-firestore.mjs';
import { sweep } from './firestore/place.mjs';
import { MIRRORS, placesOf } from './firestore/places.mjs';
import { describe, waysToFirestore } from './firestore/ways.mjs';
import { cacheFolder } from './machine.mjs';
import { say } from './run.mjs';

/** @typedef {import('./machine.mjs').Machine} Machine */
/** @typedef {import('./firestore/ways.mjs').Surroundings} Surroundings */
/** @typedef {import('./firestore/ways.mjs').Way} Way */

/**
 * Makes sure that something serves Firestore: what is there, else the quickest that can be had, in the project's cache
 * and nowhere else. Whoever sits before it is asked once, for all of it. One set-up at a time does so; another waits
 * for it, and finds what it brought.
 *
 * @param {Machine} machine @param {string} root
 * @param {{ places?: import('./firestore/places.mjs').Places, pause?: number,
 *   waysOf?: (surroundings: Surroundings) => ReturnType<typeof waysToFirestore>,
 *   agrees?: (question: string) => Promise<boolean> }} [options] in whose place tests put others
 * @throws {Error} naming what was tried, why it did not work, and the ways to get one by hand.
 */
export async function bringFirestore(machine, root, options = {}) {
  if (isHere(machine, root)) return;
  if (machine.environment.HIDANE) {
    throw new Error(
      `HIDANE names ${machine.environment.HIDANE}, which is not a program.\n${WAYS_TO_FIRESTORE}`,
    );
  }
  const onWait = (/** @type {string} */ pid) =>
    say(`another set-up (process ${pid}) is bringing what serves Firestore; waiting for it …`);
  await withLock(
    join(cacheFolder(machine), 'firestore.lock'),
    async () => {
      if (isHere(machine, root)) return;
      sweep(machine, { isDone: false });
      await bringFirst(machine, root, options);
      sweep(machine, { isDone: true });
    },
    { onWait },
  );
}

/** @param {Machine} machine @param {string} root */
function isHere(machine, root) {
  if (chooseHidane(machine, root).kind === 'hidane') return true;
  if (machine.environment.HIDANE) return false;
  return existsSync(officialMark(machine)) && chooseOfficial(machine).kind === 'official';
}

/**
 * @param {Machine} machine @param {string} root
 * @param {NonNullable<Parameters<typeof bringFirestore>[2]>} options
 */
async function bringFirst(
  machine,
  root,
  {
    places = placesOf(machine),
    pause = 500,
    waysOf = waysToFirestore,
    agrees = (text) => ask(text, machine),
  },
) {
  /** @type {import('./fetch/network.mjs').Network | undefined} */
  let read;
  const network = () => {
    read ??= readNetwork(machine);
    return read;
  };
  const { ways, without } = waysOf({ machine, root, places, network, pause });
  if (!(await agrees(describe(ways, cacheFolder(machine))))) {
    throw new Error(`Nothing was brought.\n${WAYS_TO_FIRESTORE}`);
  }
  const tried = [];
  for (const way of ways) {
    try {
      const started = Date.now();
      await way.bring();
      return say(`${way.name}: there after ${Math.round((Date.now() - started) / 1000)} s`);
    } catch (error) {
      tried.push(`${way.name}: ${words(error)}`);
      say(`not ${way.name}: ${words(error)}`);
    }
  }
  const why = [...tried, ...without].map((one) => `  - ${one}`).join('\n');
  throw new Error(`Nothing that serves Firestore could be had:\n${why}\n${WAYS_TO_FIRESTORE}\n${MIRRORS}`);
}

// One at a time, also of processes that know nothing of each other.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** Whoever has the lock touches it so often … */
const BEAT_MS = 5_000;
/** … and where nobody did for so long, its holder is gone. */
const GONE_AFTER_MS = 30_000;

/**
 * Does some work while nobody else holds the same lock; waits for whoever does. A lock whose holder was killed is taken
 * over. Where two take one over in the same instant both may go on: what they fill has to appear in one step.
 *
 * @template Result
 * @param {string} file
 * @param {() => Promise<Result>} work
 * @param {{ onWait?: (pid: string) => void, everyMs?: number, goneAfterMs?: number }} [options]
 * @returns {Promise<Result>}
 */
export async function withLock(
  file,
  work,
  { onWait = () => {}, everyMs = 200, goneAfterMs = GONE_AFTER_MS } = {},
) {
  mkdirSync(dirname(file), { recursive: true });
  const mine = `${process.pid} ${hostname()} ${randomUUID()}`;
  let told = false;
  while (!take(file, mine)) {
    const holder = readIfThere(file);
    if (holder !== undefined && isGone(file, holder, goneAfterMs)) rmSync(file, { force: true });
    else if (holder !== undefined) {
      if (!told) onWait(holder.split(' ')[0] ?? '');
      told = true;
      await wait(everyMs);
    }
  }
  const beat = setInterval(() => {
    if (readIfThere(file) === mine) utimesSync(file, new Date(), new Date());
  }, BEAT_MS);
  const letGo = () => {
    if (readIfThere(file) === mine) rmSync(file, { force: true });
  };
  process.once('exit', letGo);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    process.off('exit', letGo);
    letGo();
  }
}

/** @param {string} file @param {string} mine */
function take(file, mine) {
  try {
    writeFileSync(file, mine, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** @param {string} file @param {string} holder @param {number} goneAfterMs */
function isGone(file, holder, goneAfterMs) {
  const [pid, host] = holder.split(' ');
  if (host === hostname() && pid !== undefined && !isRunning(Number(pid))) return true;
  try {
    return Date.now() - statSync(file).mtimeMs > goneAfterMs;
  } catch {
    return false;
  }
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** @param {string} file */
function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

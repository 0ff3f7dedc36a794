// Ends the suite's processes when the suite itself is gone, however it went (SIGKILL too): it holds the
// reading end of a pipe, and the end of that pipe is the only sure sign. Each line says what to watch or
// forget: "+<target>" and "-<target>" for what
// to end (minus a process id means its whole group), "@<folder>" for a folder to remove at the end.
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const GRACE_MS = 3_000;
const targets = new Set();
const folders = new Set();

/** @param {number} target @param {NodeJS.Signals | 0} signal */
function signalTo(target, signal) {
  try {
    process.kill(target, signal);
    return true;
  } catch {
    return false;
  }
}

// A signal to the suite's own group must not end the one that cleans up after it.
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => {});

for await (const line of createInterface({ input: process.stdin })) {
  const value = line.slice(1);
  if (line.startsWith('+')) targets.add(Number(value));
  else if (line.startsWith('-')) targets.delete(Number(value));
  else if (line.startsWith('@')) folders.add(value);
}

for (const target of targets) signalTo(target, 'SIGTERM');
const deadline = Date.now() + GRACE_MS;
while (Date.now() < deadline && [...targets].some((target) => signalTo(target, 0))) await sleep(50);
for (const target of targets) signalTo(target, 'SIGKILL');
for (const folder of folders) rmSync(folder, { recursive: true, force: true });

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { beaconForWorkers } from './beacon-for-workers.ts';

interface Beacons {
  sendBeacon?: (url: string, body: string) => boolean;
}

function aWorker(answer: () => Promise<Response>) {
  const sent: unknown[] = [];
  const navigator: Beacons = {};
  beaconForWorkers(navigator, (url, init) => {
    sent.push([url, init]);
    return answer();
  });
  return { navigator, sent };
}

it('posts what a worker sends as a beacon, without asking whether it may', () => {
  const { navigator, sent } = aWorker(async () => new Response());
  expect(navigator.sendBeacon?.('http://firestore/channel?TYPE=terminate', '')).toBe(true);
  const request = { method: 'POST', mode: 'no-cors', keepalive: true, body: '' };
  expect(sent).toEqual([['http://firestore/channel?TYPE=terminate', request]]);
});

it('leaves nothing unhandled where the beacon is lost', async () => {
  const lost = Promise.reject(new TypeError('Failed to fetch'));
  const { navigator } = aWorker(() => lost);
  expect(navigator.sendBeacon?.('http://firestore/channel', '')).toBe(true);
  await expect(lost).rejects.toThrow('Failed to fetch');
});

it('leaves a beacon alone that is there', () => {
  const own = () => false;
  const navigator: Beacons = { sendBeacon: own };
  beaconForWorkers(navigator, async () => new Response());
  expect(navigator.sendBeacon).toBe(own);
});

it('is still needed: Firestore’s transport asks for a beacon', () => {
  const firestore = createRequire(createRequire(import.meta.url).resolve('@firebase/firestore/package.json'));
  const transport = dirname(firestore.resolve('@firebase/webchannel-wrapper/package.json'));
  const file = join(transport, 'dist/webchannel-blob/esm/webchannel_blob_es2018.js');
  expect(readFileSync(file, 'utf8')).toContain('sendBeacon');
});

import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { launchExtension, sendMessage, waitForSnapshot } from '../../e2e/browser.ts';
import { readPorts } from '../../packages/cli/src/local/ports.ts';
import { readSecrets, suiteVariables } from '../../packages/cli/src/local/suite.ts';
import type { AuthResult } from '../../packages/client/src/messages.ts';
import { findChromium } from '../set-up/find-chromium.mjs';
import { buildExtension } from '../suite/builds.ts';
import { quantile } from './measure.ts';
import type { Row } from './report.ts';
import { deliver, packComes, type World } from './world.ts';

const PURCHASES = 40;
const UNCOUNTED = 5;
const PACK = 100;
const AIM_MS = 25;
const WHAT = "webhook to the snapshot in the extension's storage, worker awake";
const AIM = `≤ ${AIM_MS} ms from the record's commit`;

interface Arrival {
  readonly fromDelivery: number;
  readonly fromCommit: number;
}

/**
 * (g) A pack's `checkout.session.completed` is delivered; the built extension in Chromium has the credits in its
 * storage. A page of the extension sees the write, as the popup does.
 */
export async function benchSnapshot(world: World): Promise<readonly Row[]> {
  if (findChromium(process.env) === undefined) {
    const result = 'not measured: no Chromium here';
    return [{ row: 'g', what: WHAT, result, aim: AIM, met: null, figures: {} }];
  }
  const { url } = await world.direct();
  const browser = await launchExtension({ dist: await builtExtension() });
  try {
    const page = await browser.open('options');
    const uid = await signUpIn(page);
    await deliver(url, packComes(uid, PACK));
    await waitForSnapshot(page, (snapshot) => snapshot.credits?.packCredits === PACK);
    await watchStorage(page);
    const arrivals: Arrival[] = [];
    for (let packs = 2; packs < PURCHASES + 2; packs += 1) {
      const delivery = packComes(uid, PACK);
      const sentAt = Date.now();
      const [storedAt] = await Promise.all([storedAtIn(page, packs * PACK), deliver(url, delivery)]);
      const committed = (await world.firestore.doc(`customers/${uid}`).get()).updateTime?.toMillis();
      if (committed === undefined) throw new Error('the record is gone');
      arrivals.push({ fromDelivery: storedAt - sentAt, fromCommit: storedAt - committed });
    }
    return [rowOf(arrivals.slice(UNCOUNTED))];
  } finally {
    await browser.close();
  }
}

function rowOf(arrivals: readonly Arrival[]): Row {
  const at = (figure: keyof Arrival, share: number): number =>
    quantile(
      arrivals.map((arrival) => arrival[figure]),
      share,
    );
  const median = at('fromCommit', 0.5);
  return {
    row: 'g',
    what: WHAT,
    result: `${median.toFixed(0)} ms from the commit (p90 ${at('fromCommit', 0.9).toFixed(0)} ms), ${at('fromDelivery', 0.5).toFixed(0)} ms from the delivery`,
    aim: AIM,
    met: median <= AIM_MS,
    figures: { median, arrivals },
  };
}

function builtExtension(): Promise<string> {
  const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
  const ports = readPorts(process.env);
  return buildExtension(root, ports, suiteVariables(ports, readSecrets(`${root}/.secret.local`)));
}

async function signUpIn(page: Page): Promise<string> {
  const credentials = { email: `${randomUUID()}@example.test`, password: randomUUID() };
  const { ok, ...result } = await sendMessage<AuthResult>(page, { type: 'authSignUp', ...credentials });
  if (!ok || !('user' in result) || result.user === null) throw new Error('the extension could not sign up');
  return result.user.uid;
}

type Watching = typeof globalThis & { arrived: Map<number, number> };

/** Notes in the page when each balance came into the storage. */
function watchStorage(page: Page): Promise<void> {
  return page.evaluate(() => {
    const arrived = new Map<number, number>();
    (globalThis as Watching).arrived = arrived;
    chrome.storage.onChanged.addListener(({ entitlements }) => {
      const snapshot = entitlements?.newValue as { credits?: { packCredits?: number } } | undefined;
      const packs = snapshot?.credits?.packCredits;
      if (packs !== undefined && !arrived.has(packs)) arrived.set(packs, Date.now());
    });
  });
}

/** When this balance came, in milliseconds since 1970. */
async function storedAtIn(page: Page, packs: number): Promise<number> {
  const found = await page.waitForFunction((wanted) => (globalThis as Watching).arrived.get(wanted), packs, {
    polling: 50,
    timeout: 10_000,
  });
  return Number(await found.jsonValue());
}

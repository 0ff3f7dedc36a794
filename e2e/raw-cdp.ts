import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A plain connection to the browser, beside Playwright's: Playwright has no command that ends a service worker. */
export interface RawCdp {
  send(method: string, params?: object, sessionId?: string): Promise<Record<string, unknown>>;
  close(): void;
}

/** Connects to a browser that was started with `--remote-debugging-port=0` on this user data folder. */
export async function connectRawCdp(userDataDir: string): Promise<RawCdp> {
  const [port, path] = (await readFile(join(userDataDir, 'DevToolsActivePort'), 'utf8')).split('\n');
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`);
  const waiting = new Map<number, PromiseWithResolvers<Record<string, unknown>>>();
  let lastId = 0;
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(String(data));
    const reply = waiting.get(id);
    waiting.delete(id);
    if (error) reply?.reject(new Error(error.message));
    else reply?.resolve(result);
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () =>
      reject(new Error('The browser refused the debugging connection.')),
    );
  });
  return {
    send(method, params = {}, sessionId) {
      const id = ++lastId;
      const reply = Promise.withResolvers<Record<string, unknown>>();
      waiting.set(id, reply);
      socket.send(JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) }));
      return reply.promise;
    },
    close: () => socket.close(),
  };
}

/** A worker that ends is gone within some 50 ms; one that is there after this was woken again. */
const GONE_WITHIN_MS = 1_500;
const MOST_KILLS = 20;

interface Target {
  readonly targetId: string;
  readonly type: string;
  readonly url: string;
}

async function targets(cdp: RawCdp, extensionId: string): Promise<Target[]> {
  const { targetInfos } = (await cdp.send('Target.getTargets')) as { targetInfos: Target[] };
  return targetInfos.filter(({ url }) => url.startsWith(`chrome-extension://${extensionId}/`));
}

export async function isWorkerAlive(cdp: RawCdp, extensionId: string): Promise<boolean> {
  return (await targets(cdp, extensionId)).some(({ type }) => type === 'service_worker');
}

/**
 * Ends the extension's worker at once, as the browser does when it is idle, and settles when it is gone. A message that
 * was on its way may wake it again at once, under the same target id while somebody is attached to it: it is then ended
 * once more. Never while it is still going, which would keep it.
 */
export async function killWorker(cdp: RawCdp, extensionId: string): Promise<void> {
  for (let time = 0; time < MOST_KILLS; time += 1) {
    const worker = (await targets(cdp, extensionId)).find(({ type }) => type === 'service_worker');
    if (worker === undefined) return;
    await cdp.send('Target.closeTarget', { targetId: worker.targetId });
    const isSame = ({ targetId }: Target): boolean => targetId === worker.targetId;
    const isAwakeAt = Date.now() + GONE_WITHIN_MS;
    while ((await targets(cdp, extensionId)).some(isSame) && Date.now() < isAwakeAt)
      await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('Something wakes the worker again and again: it does not end.');
}

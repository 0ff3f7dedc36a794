import type { BackgroundPort, Sender } from '../src/background/background-browser.ts';
import type { PagePort } from '../src/page-browser.ts';

type Listener<Value> = (value: Value) => void;

/** One end of a port: messages arrive later and as copies, as in a browser. */
function portEnd<Value>() {
  const listeners: Listener<Value>[] = [];
  return {
    event: { addListener: (listener: Listener<Value>) => void listeners.push(listener) },
    emit: (value: Value) => {
      for (const listener of listeners) listener(value);
    },
  };
}

/** The ports between the pages and the background of an extension. */
export function fakePorts(sender: Sender) {
  const listeners: Listener<BackgroundPort>[] = [];
  const open = new Set<() => void>();
  const posted: unknown[] = [];
  /** How many backgrounds have ended while something else held their ports open. */
  let backgrounds = 0;

  function connect({ name }: { readonly name: string }): PagePort {
    const [toPage, toBackground, toPageEnd] = [portEnd<unknown>(), portEnd<unknown>(), portEnd<void>()];
    let isOpen = true;
    const ofBackground = backgrounds;
    const close = (): void => {
      isOpen = false;
      open.delete(closeByBackground);
    };
    const closeByBackground = (): void => {
      close();
      queueMicrotask(() => toPageEnd.emit());
    };
    const deliver = (to: { emit: Listener<unknown> }) => (message: object) => {
      if (!isOpen) throw new Error('Attempting to use a disconnected port object');
      const copy = JSON.parse(JSON.stringify(message));
      queueMicrotask(() => isOpen && ofBackground === backgrounds && to.emit(copy));
    };
    open.add(closeByBackground);
    const onMessage = toBackground.event;
    const hears = [...listeners];
    queueMicrotask(() => {
      if (hears.length === 0) return closeByBackground();
      for (const listener of hears) listener({ name, sender, onMessage, postMessage: deliver(toPage) });
    });
    const toBackgroundPosted = deliver(toBackground);
    return {
      postMessage(message) {
        posted.push(structuredClone(message));
        toBackgroundPosted(message);
      },
      disconnect: close,
      onMessage: toPage.event,
      onDisconnect: toPageEnd.event,
    };
  }
  return {
    connect,
    onConnect: { addListener: (listener: Listener<BackgroundPort>) => void listeners.push(listener) },
    /** What pages have posted. */
    posted,
    openPorts: () => open.size,
    /** Closes the ports as a frozen page loses them; the background lives on. */
    cut() {
      for (const close of [...open]) close();
    },
    /** Ends the background, while another page of the extension that listens to `onConnect` holds its ports open. */
    killBesideListener() {
      listeners.length = 0;
      backgrounds += 1;
    },
    /** Ends the background: its ports close and its listeners are gone. */
    kill() {
      listeners.length = 0;
      for (const close of [...open]) close();
    },
  };
}

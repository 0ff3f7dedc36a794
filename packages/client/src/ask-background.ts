import { pageBrowser } from './page-browser.ts';
import { shownUser } from './snapshot/shown-user.ts';

/**
 * Billing's pages and its background talk over ports of this name. `runtime.sendMessage` gives the sender the first
 * answer of any listener, so an extension that answers every message would answer in billing's place.
 */
export const PORT_NAME = 'extension-billing';

/** Posted by a page, once per port. */
export interface PortRequest {
  /** Unique per request; the same when it is sent again over another port. */
  readonly id: string;
  readonly message: object;
  /** Whom the page shows: a press made there isn't charged to another user. Null if it shows none. */
  readonly uid: string | null;
  /** Only fetches an answer that the background still has: starting this request twice isn't safe. */
  readonly isRecall: boolean;
}
/** Posted by the background. Without `reply` it only says that it has the request. */
export interface PortAnswer {
  readonly id: string;
  readonly reply?: unknown;
}

const ATTEMPTS = 3;
/** Includes the start of a worker. Something else holds the port open if nothing says that it has the request. */
const TAKEN_WITHIN_MS = 10_000;
/** An open port doesn't keep a worker alive, but a message over it restarts its 30 s idle timer. */
const PULSE_EVERY_MS = 20_000;

/**
 * Sends one message to the background and resolves with its reply; undefined if nothing answers. After a disconnect it
 * asks for the reply again. A background that was started anew serves the message again if `isRepeatable`.
 */
export async function askBackground(message: object, isRepeatable: boolean): Promise<unknown> {
  const own = pageBrowser().askBackground;
  if (own !== undefined) return own(message, isRepeatable);
  const id = crypto.randomUUID();
  const uid = shownUser();
  let isRecall = false;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const end = await exchange({ id, message, uid, isRecall });
    if (end.reply !== undefined || end.isSilent) return end.reply;
    isRecall ||= end.wasTaken && !isRepeatable;
  }
  return undefined;
}

interface End {
  readonly reply?: unknown;
  /** The background has the request. */
  readonly wasTaken: boolean;
  /** The port is open, but the background isn't there. */
  readonly isSilent?: boolean;
}

function exchange(request: PortRequest): Promise<End> {
  const { runtime } = pageBrowser();
  return new Promise((resolve) => {
    const port = runtime.connect({ name: PORT_NAME });
    let wasTaken = false;
    const end = (how: Partial<End> = {}): void => {
      clearTimeout(silence);
      clearInterval(pulse);
      resolve({ wasTaken, ...how });
      port.disconnect();
    };
    const hush = (): void => end({ isSilent: !wasTaken });
    let silence = setTimeout(hush, TAKEN_WITHIN_MS);
    // The background says again that it has the request. A port doesn't close with its background while another page of
    // the extension that listens to `onConnect` has it, too.
    const pulse = setInterval(() => {
      clearTimeout(silence);
      silence = setTimeout(hush, TAKEN_WITHIN_MS);
      port.postMessage({ ...request, isRecall: true });
    }, PULSE_EVERY_MS);
    port.onMessage.addListener((answer) => {
      // The extension's own listeners may post to every port.
      if (!isAnswerTo(request.id, answer)) return;
      wasTaken = true;
      clearTimeout(silence);
      if (answer.reply !== undefined) end({ reply: answer.reply });
    });
    port.onDisconnect.addListener(() => {
      // Chrome logs an error that isn't read.
      void runtime.lastError;
      end();
    });
    port.postMessage(request);
  });
}

function isAnswerTo(id: string, answer: unknown): answer is PortAnswer {
  return (answer as Partial<PortAnswer> | null)?.id === id;
}

import { MESSAGE_REQUESTS } from '@extension-billing/contract/messages';
import { type Holds, type Output, read, type Same } from '@extension-billing/contract/schema';
import { PORT_NAME, type PortAnswer, type PortRequest } from '../ask-background.ts';
import type { BillingMessages, BillingMessageType, ErrorReply } from '../messages.ts';
import type { BackgroundPort, MessageListener, Sender } from './background-browser.ts';
import type { BillingConfig } from './config.ts';
import { refusalOfAnother } from './for-a-user.ts';

type Requests = {
  -readonly [T in keyof typeof MESSAGE_REQUESTS]: Request<Output<(typeof MESSAGE_REQUESTS)[T]>>;
};
type Request<Fields> = keyof Fields extends never ? object : Fields;
type PublishedRequests = { [T in BillingMessageType]: BillingMessages[T]['request'] };
/** The published interface says the same as the schemas: adopters' compilers must not need valibot. */
export type MessagesHold = Holds<Same<Requests, PublishedRequests>>;

function isBillingMessageType(type: unknown): type is BillingMessageType {
  return typeof type === 'string' && Object.hasOwn(MESSAGE_REQUESTS, type);
}

/** What a message asks for; null where it does not hold what it must. */
export function parseRequest<T extends BillingMessageType>(
  type: T,
  fields: Readonly<Record<string, unknown>>,
): BillingMessages[T]['request'] | null {
  return read(MESSAGE_REQUESTS[type], fields);
}

/** One table: every message and who serves it. */
export type BillingHandlers = {
  [T in BillingMessageType]: (request: BillingMessages[T]['request']) => Promise<BillingMessages[T]['reply']>;
};

interface RouterOptions {
  readonly extensionId: string;
  /** The origin of the extension's own pages, which in Firefox says nothing of its id and is another in each profile. */
  readonly ownOrigin: string;
  /** Who is signed in; null if nobody is. */
  readonly uid: () => Promise<string | null>;
  /** What becomes of a message that is not billing's. */
  readonly unknownMessages: NonNullable<BillingConfig['unknownMessages']>;
}

/** The two ways in, with the same sender check. */
export interface Router {
  /**
   * For messages sent with `runtime.sendMessage`, as the specification has them. Answers billing's own only; the rest is
   * for the extension's listeners.
   */
  readonly onMessage: MessageListener;
  /** For `send` and billing's pages, which use ports. Ports of other names are the extension's. */
  readonly onConnect: (port: BackgroundPort) => void;
}

/** A page whose port was closed before the answer came asks for the answer within this time. */
const ANSWER_KEPT_MS = 60_000;

/**
 * Serves the extension's own pages only. A content script shares the extension's id but has the origin of the page
 * that it runs in; other extensions and web pages reach neither event, and would be refused.
 */
export function createRouter(handlers: BillingHandlers, options: RouterOptions): Router {
  /** By request id, while it is served and for a while after. */
  const answers = new Map<string, Promise<unknown>>();
  const isOwnPage = (sender: Sender | undefined): boolean =>
    sender?.id === options.extensionId && sender.origin === options.ownOrigin;

  function onMessage(message: unknown, sender: Sender, reply: (reply: unknown) => void): boolean {
    const type = typeOf(message);
    const known =
      isBillingMessageType(type) && (options.unknownMessages !== 'leave_unmarked' || isMarked(message, type));
    if (!known && options.unknownMessages !== 'refuse') return false;
    if (!isOwnPage(sender)) {
      reply(FORBIDDEN);
      return false;
    }
    void answer(message).then(reply);
    return true;
  }

  function onConnect(port: BackgroundPort): void {
    if (port.name !== PORT_NAME) return;
    port.onMessage.addListener((request) => {
      if (!isPortRequest(request)) return;
      const { id } = request;
      const post = (part: Omit<PortAnswer, 'id'>): void => {
        try {
          port.postMessage({ id, ...part } satisfies PortAnswer);
        } catch {
          // Closed. A page that is still there asks for its answer over another port.
        }
      };
      if (!isOwnPage(port.sender)) return post({ reply: FORBIDDEN });
      if (request.isRecall && !answers.has(id)) return post({ reply: STOPPED });
      post({});
      void answerOnce(request).then((reply) => post({ reply }));
    });
  }

  function answerOnce({ id, message, uid }: PortRequest): Promise<unknown> {
    const known = answers.get(id);
    if (known !== undefined) return known;
    const fresh = answerTo(uid, message);
    answers.set(id, fresh);
    void fresh.then(() => setTimeout(() => answers.delete(id), ANSWER_KEPT_MS));
    return fresh;
  }

  /** Refuses what acts for the user whom the page shows, if another one is signed in by now. */
  async function answerTo(uid: unknown, message: object): Promise<unknown> {
    const refusal = refusalOfAnother(typeOf(message));
    const isOther = refusal !== undefined && typeof uid === 'string' && (await options.uid()) !== uid;
    return isOther ? refusal : answer(message);
  }

  async function answer(message: unknown): Promise<unknown> {
    const type = typeOf(message);
    if (isBillingMessageType(type)) return serve(type, message as Readonly<Record<string, unknown>>);
    const named = typeof type === 'string' ? `"${type.slice(0, 64)}"` : 'without a name';
    return errorReply('unknown_message', `There is no billing message ${named}. messages.ts lists them.`);
  }

  async function serve<T extends BillingMessageType>(
    type: T,
    fields: Readonly<Record<string, unknown>>,
  ): Promise<BillingMessages[T]['reply'] | ErrorReply> {
    const request = parseRequest(type, fields);
    if (request === null) {
      return errorReply(
        'invalid_message',
        `"${type}" was sent with fields missing or of a wrong type. messages.ts has them.`,
      );
    }
    try {
      return await handlers[type](request);
    } catch (error) {
      // The name only: a message may hold what the user typed.
      console.error(`billing: "${type}" failed`, error instanceof Error ? error.name : typeof error);
      return errorReply(
        'internal',
        `The extension could not serve "${type}". Try again; reload the extension if it stays.`,
      );
    }
  }

  return { onMessage, onConnect };
}

const isPortRequest = (value: unknown): value is PortRequest =>
  typeof value === 'object' &&
  value !== null &&
  'message' in value &&
  'id' in value &&
  typeof value.id === 'string';

/** Whether a message is billing's though the extension has one of that name. */
function isMarked(message: unknown, type: string): boolean {
  return type.startsWith('billing') || (message as { readonly billing?: unknown }).billing === true;
}

function typeOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'type' in message ? message.type : undefined;
}

function errorReply(code: ErrorReply['error']['code'], message: string): ErrorReply {
  return { error: { code, message } };
}

const FORBIDDEN = errorReply('forbidden_sender', 'Only pages of this extension may send billing messages.');
const STOPPED = errorReply('internal', 'The background worker stopped before it answered.');

const MAX_LINK = 4_000;

/**
 * A listener for `chrome.runtime.onMessageExternal`: the page that a checkout returns to may say that it is there,
 * which starts the worker, and may bring the link of a sign-in mail. It gets no data; from anybody else it is refused, and so is every message of
 * billing's pages. All else is the extension's own, and left to its listeners.
 */
export function createReturnListener(
  returnOrigin: string | undefined,
  onReturn: () => void,
  onLink: (link: string) => Promise<boolean> = async () => false,
): MessageListener {
  return (message, sender, reply) => {
    const type = typeOf(message);
    const isOurs = type === 'billingReturn' || type === 'billingSignIn';
    if (!isOurs && !isBillingMessageType(type)) return false;
    if (returnOrigin === undefined || sender.origin !== returnOrigin || !isOurs) {
      reply(errorReply('forbidden_sender', 'Only the return page of this extension may wake it.'));
      return false;
    }
    if (type === 'billingReturn') {
      onReturn();
      reply({ ok: true });
      return false;
    }
    const { link } = message as { readonly link?: unknown };
    const isLink = typeof link === 'string' && link.length <= MAX_LINK;
    // Nothing but whether it signed in: who it was is nobody's business there.
    (isLink ? onLink(link) : Promise.resolve(false)).then(
      (ok) => reply({ ok }),
      () => reply({ ok: false }),
    );
    return true;
  };
}

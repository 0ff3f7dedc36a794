import { MESSAGE_REQUESTS } from '@extension-billing/contract/messages';
import { type Holds, type Output, read, type Same } from '@extension-billing/contract/schema';
import type { BillingMessages, BillingMessageType, ErrorReply } from '../messages.ts';
import type { MessageListener } from './background-browser.ts';
import type { BillingConfig } from './config.ts';

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
  /** What becomes of a message that is not billing's. */
  readonly unknownMessages: NonNullable<BillingConfig['unknownMessages']>;
}

/**
 * Serves the extension's own pages only, and answers nothing but billing's own messages: the rest are the extension's,
 * for listeners of its own. A content script shares the extension's id but has the origin of the page
 * that it runs in; other extensions and web pages never reach `onMessage`, and are refused should they.
 */
export function createRouter(handlers: BillingHandlers, options: RouterOptions): MessageListener {
  return (message, sender, reply) => {
    const type = typeOf(message);
    const known =
      isBillingMessageType(type) && (options.unknownMessages !== 'leave_unmarked' || isMarked(message, type));
    if (!known && options.unknownMessages !== 'refuse') return false;
    if (sender.id !== options.extensionId || sender.origin !== options.ownOrigin) {
      reply(errorReply('forbidden_sender', 'Only pages of this extension may send billing messages.'));
      return false;
    }
    if (!known) {
      const named = typeof type === 'string' ? `"${type.slice(0, 64)}"` : 'without a name';
      reply(errorReply('unknown_message', `There is no billing message ${named}. messages.ts lists them.`));
      return false;
    }
    serve(type, message as Readonly<Record<string, unknown>>).then(reply);
    return true;
  };

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
}

/** Whether a message is billing's though the extension has one of that name: `send` marks what it sends. */
function isMarked(message: unknown, type: string): boolean {
  return type.startsWith('billing') || (message as { readonly billing?: unknown }).billing === true;
}

function typeOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'type' in message ? message.type : undefined;
}

function errorReply(code: ErrorReply['error']['code'], message: string): ErrorReply {
  return { error: { code, message } };
}

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

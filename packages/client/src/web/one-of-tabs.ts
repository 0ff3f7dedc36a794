/** How the lock that the leading tab holds, and the channel that all tabs of an origin talk on, begin. */
export const TABS_NAME = 'extension-billing';

/** A tab that leads says at once that it has taken a request; one that does not is frozen, and loses the lead. */
const TAKEN_WITHIN_MS = 2_000;
/** Browsers slow the timers of hidden pages down, most of them after some minutes. */
const HIDDEN_LONG_MS = 60_000;

/** What the leading tab does for all. */
export interface Served {
  /** The reply to a message of a tab. */
  answer(message: object, tab: string): Promise<unknown>;
  /** Another tab leads now: nothing more is listened to or written. */
  end(): void;
}

export interface TabsDeps {
  /** Of the lock. */
  readonly name: string;
  readonly locks: Pick<LockManager, 'request'>;
  readonly channel: Pick<BroadcastChannel, 'postMessage' | 'onmessage'>;
  readonly page: {
    isVisible(): boolean;
    onVisibility(listener: () => void): void;
    now(): number;
  };
  /** Makes this tab the one that serves. */
  readonly serve: () => Promise<Served>;
  /** Opens a page for somebody in this tab. */
  readonly open: (url: string) => void;
}

export interface Tabs {
  /** Asks whichever tab leads. Rejects where that tab was closed before it answered, as with a worker that died. */
  ask(message: object): Promise<unknown>;
  /** Has a tab open a page. */
  openIn(tab: string, url: string): void;
}

type TabMessage =
  | { readonly kind: 'ask'; readonly id: string; readonly tab: string; readonly message: object }
  | { readonly kind: 'taken'; readonly id: string }
  | { readonly kind: 'answer'; readonly id: string; readonly reply: unknown }
  | { readonly kind: 'open'; readonly tab: string; readonly url: string }
  /** Another tab leads from now on. */
  | { readonly kind: 'leads' }
  /** Somebody looks at a tab that does not lead. */
  | { readonly kind: 'seen' };

interface Asked {
  readonly message: object;
  readonly resolve: (reply: unknown) => void;
  readonly reject: (error: Error) => void;
  isTaken: boolean;
}

interface Lead {
  readonly served: Promise<Served>;
  readonly underWay: Set<Promise<unknown>>;
  /** Requests of other tabs that it has taken: one may come again, from who had not heard that yet. */
  readonly taken: Set<string>;
  /** Gives the lock back. */
  readonly release: () => void;
  isLeaving: boolean;
  /** What serves could not be loaded. */
  isBroken: boolean;
}

/**
 * One tab of an origin serves all of them, as an extension's worker serves its pages: one user is signed in, one listens
 * to the server, one writes. Whoever holds the lock leads, and the browser hands it on when that tab goes. A tab that
 * does not answer loses it; one that nobody has looked at for long gives it up to one that somebody looks at.
 */
export function createTabs({ name, locks, channel, page, serve, open }: TabsDeps): Tabs {
  const tab = crypto.randomUUID();
  const asked = new Map<string, Asked>();
  let lead: Lead | null = null;
  let standing: AbortController | null = null;
  let hiddenAt: number | null = page.isVisible() ? null : page.now();
  const post = (message: TabMessage): void => channel.postMessage(message);

  /** Asks for the lead, behind who has it; `takeOver` takes it from a tab that does not answer. */
  function stand(takeOver = false): void {
    if (lead !== null || (standing !== null && !takeOver)) return;
    standing?.abort();
    const mine = new AbortController();
    standing = mine;
    const ended = Promise.withResolvers<void>();
    let mineToLead: Lead | null = null;
    const how = takeOver ? { steal: true } : { signal: mine.signal };
    const over = (): void => {
      if (standing === mine) standing = null;
      if (mineToLead !== null) drop(mineToLead);
      // What could not be loaded is tried again at the next request, not at once.
      if (page.isVisible() && mineToLead?.isBroken !== true) stand();
    };
    locks
      .request(name, how, () => {
        if (standing === mine) standing = null;
        mineToLead = begin(ended.resolve);
        return ended.promise;
      })
      // Withdrawn, or taken over by another tab.
      .then(over, () => (mine.signal.aborted ? undefined : over()));
  }

  function begin(release: () => void): Lead {
    const mine: Lead = {
      served: serve(),
      underWay: new Set(),
      taken: new Set(),
      release,
      isLeaving: false,
      isBroken: false,
    };
    lead = mine;
    mine.served.catch(() => {
      mine.isBroken = true;
      drop(mine);
    });
    post({ kind: 'leads' });
    passAgain();
    return mine;
  }

  function drop(mine: Lead): void {
    if (lead === mine) lead = null;
    mine.served.then(
      (served) => served.end(),
      () => {},
    );
    mine.release();
  }

  async function giveUp(mine: Lead): Promise<void> {
    mine.isLeaving = true;
    await Promise.allSettled(mine.underWay);
    drop(mine);
  }

  /** Serves a request where this tab leads; tells whether it does. */
  function take(message: object, from: string, say: (reply: unknown) => void): boolean {
    if (lead === null || lead.isLeaving) return false;
    const { served, underWay } = lead;
    const work = served
      .then(({ answer }) => answer(message, from))
      .catch(() => NOT_LOADED)
      .then(say)
      .finally(() => underWay.delete(work));
    underWay.add(work);
    return true;
  }

  function takeOf({ id, message, tab: from }: Extract<TabMessage, { kind: 'ask' }>): void {
    const isKnown = lead?.taken.has(id) === true;
    if (!isKnown && !take(message, from, (reply) => post({ kind: 'answer', id, reply }))) return;
    lead?.taken.add(id);
    post({ kind: 'taken', id });
  }

  function pass(id: string): void {
    const request = asked.get(id);
    if (request === undefined) return;
    if (take(request.message, tab, request.resolve)) {
      request.isTaken = true;
      return;
    }
    post({ kind: 'ask', id, tab, message: request.message });
    setTimeout(() => {
      if (asked.get(id)?.isTaken === false) stand(true);
    }, TAKEN_WITHIN_MS);
  }

  function passAgain(): void {
    for (const [id, { isTaken, reject }] of asked) {
      if (isTaken) reject(new Error('The tab that served this request was closed before it answered.'));
      else pass(id);
    }
  }

  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    switch (data.kind) {
      case 'ask':
        return takeOf(data);
      case 'taken': {
        const request = asked.get(data.id);
        if (request !== undefined) request.isTaken = true;
        return;
      }
      case 'answer':
        return asked.get(data.id)?.resolve(data.reply);
      case 'open':
        return data.tab === tab ? open(data.url) : undefined;
      case 'leads':
        if (lead !== null) drop(lead);
        return passAgain();
      case 'seen':
        if (lead !== null && hiddenAt !== null && page.now() - hiddenAt > HIDDEN_LONG_MS) void giveUp(lead);
        return;
      default:
        return data satisfies never;
    }
  };

  page.onVisibility(() => {
    hiddenAt = page.isVisible() ? null : page.now();
    if (hiddenAt === null) beSeen();
    else if (lead === null && asked.size === 0) {
      standing?.abort();
      standing = null;
    }
  });
  function beSeen(): void {
    stand();
    if (lead === null) post({ kind: 'seen' });
  }
  if (hiddenAt === null) beSeen();

  return {
    ask: (message) => {
      const id = crypto.randomUUID();
      const answer = new Promise<unknown>((resolve, reject) => {
        asked.set(id, { message, resolve, reject, isTaken: false });
      });
      stand();
      pass(id);
      return answer.finally(() => asked.delete(id));
    },
    openIn(to, url) {
      if (to === tab) open(url);
      else post({ kind: 'open', tab: to, url });
    },
  };
}

const NOT_LOADED = {
  error: {
    code: 'internal',
    message: 'What serves billing could not be loaded. Check the connection and try again.',
  },
};

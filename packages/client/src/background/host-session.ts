import type { SessionReply, SessionUser } from '../messages.ts';
import { within } from '../promises.ts';
import type { Session, TokenAnswer } from './auth-session.ts';
import { flawOfToken, type HostIdentity, readTold } from './host-identity.ts';
import type { SessionNews } from './session-memory.ts';
import { payloadOf } from './token-payload.ts';

/** If the host has told nothing by then, pages say so. */
const HEARD_WITHIN_MS = 5_000;
const TOKEN_WITHIN_MS = 10_000;
/** Back-off after the host failed to return a token. */
const AGAIN_AFTER_MS = 2_000;
/** Back-off after the host said that the session has ended. */
const AGAIN_AFTER_END_MS = 60_000;
/** How long a token is reused, so that a host that fetches it from a server isn't asked at every press. */
const REUSE_FOR_MS = 300_000;
/** A token that is about to expire is not sent. */
const EXPIRY_MARGIN_MS = 30_000;
const HUNG = Symbol('hung');

interface HostSessionDeps {
  readonly projectId: string;
  readonly identity: HostIdentity;
  readonly news: SessionNews;
  /** The user changed: called at once, before anything is asked. */
  readonly onTold: (uid: string | null) => void;
  /** Hears what the host's developer has to fix. */
  readonly warn: (text: string) => void;
}

export interface HostSession extends Session {
  /** Starts listening to the host. */
  start(): void;
  /** Returns the user whom the host named last; null if there is none, or none yet. */
  uid(): string | null;
}

interface Answered {
  readonly uid: string;
  readonly answer: TokenAnswer;
  /** Until when the same answer is given again. */
  readonly until: number;
}

/**
 * The session of a host that has its own accounts. The host's last word decides, from the moment it is said: nothing is
 * asked, shown or spent for anyone else. If the host fails to say or return something, the session says so
 * (`host: 'failed'`), and it is tried again.
 */
export function createHostSession(deps: HostSessionDeps): HostSession {
  const { projectId, identity, news, onTold, warn } = deps;
  /** undefined: the host has not said anything yet. */
  let told: SessionUser | null | undefined;
  let failed = false;
  /** The session that was refused, and by whom. */
  let refusal: { readonly uid: string; readonly by: 'host' | 'api' } | null = null;
  let last: Answered | null = null;
  /** How often the host has told something. */
  let word = 0;
  let asking: {
    readonly uid: string;
    readonly renew: boolean;
    readonly answer: Promise<TokenAnswer>;
  } | null = null;
  const listeners: ((uid: string | null) => void)[] = [];

  const reply = (user: SessionUser | null): SessionReply => ({
    user,
    expired: user !== null && refusal?.uid === user.uid,
    host: failed ? 'failed' : 'ready',
  });
  async function lastKnown(): Promise<SessionReply> {
    return { ...((await news.last()) ?? reply(null)), host: failed ? 'failed' : 'ready' };
  }
  function publish(): void {
    if (told !== undefined) news.tell(reply(told));
    else if (failed) void lastKnown().then((known) => told === undefined && news.tell(known));
  }
  function fail(flaw: string): void {
    failed = true;
    warn(flaw);
    publish();
  }

  /** The worker before this one may have been refused, and nothing have changed since. */
  const remembered = news.last().then((known) => {
    const uid = known?.expired === true ? known.user?.uid : undefined;
    if (uid !== undefined) refusal ??= { uid, by: 'host' };
  });
  const first = Promise.withResolvers<void>();
  let waiting: Promise<void> | undefined;
  /** One wait for each worker. */
  function heard(): Promise<void> {
    if (told !== undefined) return Promise.resolve();
    waiting ??= within(HEARD_WITHIN_MS, first.promise, undefined).then(() => {
      if (told === undefined) fail('onUser has not told who is signed in');
    });
    return waiting;
  }

  function tell(given: unknown): void {
    const user = readTold(given);
    const uid = user?.uid ?? null;
    const isOther = told === undefined || (told?.uid ?? null) !== uid;
    told = user ?? null;
    failed = false;
    // Also if it is the same user: the host may have signed them in again.
    word += 1;
    last = null;
    asking = null;
    first.resolve();
    if (isOther) onTold(uid);
    if (user === undefined) fail('onUser told something that is neither a user with a uid nor null');
    else void remembered.then(publish);
    for (const listener of listeners) listener(uid);
    if (uid !== null) void remembered.then(() => check(uid));
  }
  /** Asks the host for another token if the session was refused before: pages offer to sign in until it is good again. */
  function check(uid: string): void {
    if (told?.uid === uid && refusal?.uid === uid) void ask(uid, true);
  }

  function ask(uid: string, renew: boolean): Promise<TokenAnswer> {
    if (asking?.uid === uid && (asking.renew || !renew)) return asking.answer;
    const answer = fromHost(uid, renew).finally(() => {
      if (asking?.answer === answer) asking = null;
    });
    asking = { uid, renew, answer };
    return answer;
  }
  async function fromHost(uid: string, renew: boolean): Promise<TokenAnswer> {
    const asked = word;
    const given = await askHost(uid, renew);
    if (told?.uid !== uid) return { kind: told ? 'account_changed' : 'signed_out' };
    // The host has signed this user in again meanwhile.
    if (asked !== word) return ask(uid, renew);
    const keep = (answer: TokenAnswer, ms: number): TokenAnswer => {
      last = { uid, answer, until: Date.now() + ms };
      return answer;
    };
    if (given.kind === 'ended') {
      refusal = { uid, by: 'host' };
      publish();
      return keep({ kind: 'signed_out' }, AGAIN_AFTER_END_MS);
    }
    if (given.kind === 'flaw') {
      fail(given.flaw);
      return keep({ kind: 'unavailable' }, AGAIN_AFTER_MS);
    }
    const isBack = failed || refusal?.by === 'host';
    failed = false;
    if (refusal?.by === 'host') refusal = null;
    publish();
    if (isBack) for (const listener of listeners) listener(uid);
    const left = Number(payloadOf(given.token).exp) * 1000 - Date.now() - EXPIRY_MARGIN_MS;
    return keep({ kind: 'token', token: given.token }, Math.min(REUSE_FOR_MS, Number.isNaN(left) ? 0 : left));
  }
  type Given =
    | { readonly kind: 'token'; readonly token: string }
    | { readonly kind: 'ended' }
    | { readonly kind: 'flaw'; readonly flaw: string };
  async function askHost(uid: string, renew: boolean): Promise<Given> {
    try {
      const asked = (async (): Promise<unknown> => identity.idToken(uid, renew))();
      const token = await within(TOKEN_WITHIN_MS, asked, HUNG);
      if (token === HUNG) return { kind: 'flaw', flaw: 'idToken has not answered within 10 s' };
      if (token === null) return { kind: 'ended' };
      const flaw = flawOfToken(token, uid, projectId);
      return flaw === null ? { kind: 'token', token: String(token) } : { kind: 'flaw', flaw };
    } catch (error) {
      // The name only: the text may hold anything.
      return { kind: 'flaw', flaw: `idToken threw ${error instanceof Error ? error.name : typeof error}` };
    }
  }

  return {
    async token(uid, renew = false) {
      await heard();
      if (told === undefined) return { kind: 'unavailable' };
      if (told?.uid !== uid) return { kind: told ? 'account_changed' : 'signed_out' };
      const isKept = last?.uid === uid && Date.now() < last.until && !(renew && last.answer.kind === 'token');
      return isKept && last !== null ? last.answer : ask(uid, renew);
    },
    judged(uid, accepted) {
      if (told?.uid !== uid) return;
      if (!accepted) refusal = { uid, by: 'api' };
      else if (refusal?.uid === uid && refusal.by === 'api') refusal = null;
      else return;
      publish();
    },
    uid: () => told?.uid ?? null,
    start() {
      const listen = async (): Promise<void> => void (await identity.onUser(tell));
      listen().catch(() => fail('onUser failed'));
    },
    async session() {
      // Use the user at call time: a click by one user must not act for the next.
      let user = told;
      await Promise.all([heard(), remembered]);
      if (user === undefined) user = told;
      return user === undefined ? lastKnown() : reply(user);
    },
    onUser: (listener) => void listeners.push(listener),
  };
}

import type { FirebaseApp } from 'firebase/app';
import { signInWithCustomToken } from 'firebase/auth/web-extension';
import type { SessionReply } from '../messages.ts';
import { guardPersistence } from '../patches/guarded-persistence.ts';
import { within } from '../promises.ts';
import { authFailureOf } from './auth-failure.ts';
import { type AuthSession, createAuthSession, type TokenAnswer, toSessionUser } from './auth-session.ts';
import type { BillingConfig } from './config.ts';
import {
  type CustomTokenIdentity,
  flawOfToken,
  type HandedAccount,
  type HostIdentity,
  readTold,
  type ToldUser,
} from './host-identity.ts';
import type { SessionNews } from './session-memory.ts';

/** After this long without a word of the host, pages are told that there was none. */
const HEARD_WITHIN_MS = 5_000;
const CUSTOM_TOKEN_WITHIN_MS = 10_000;
/** A step of the SDK: a storage or a service that hangs must not hold up who comes next. */
const STEP_WITHIN_MS = 25_000;
/** A request waits no longer for a sign-in that is under way. */
const WAIT_WITHIN_MS = 12_000;
const AGAIN_AFTER_MS = 2_000;
/** Where the auth service itself refuses the user. */
const AGAIN_AFTER_REFUSAL_MS = 60_000;
const HUNG = Symbol('hung');

interface HostSessionDeps {
  readonly app: FirebaseApp;
  readonly config: BillingConfig;
  readonly identity: HostIdentity;
  readonly news: SessionNews;
  /** Somebody else is signed in now, or nobody: called at once, before anything is asked of anybody. */
  readonly onTold: (uid: string | null) => void;
  /** Hears what the host's developer has to put right. */
  readonly warn: (text: string) => void;
}

export interface HostSession extends AuthSession {
  /** Begins to listen to the host. */
  start(): void;
}

/**
 * The session of an extension that has accounts itself. The host's last word decides, from the moment at which it is
 * said: nothing is asked, shown or spent for anybody else, whatever the SDK still has or is just doing. What the host
 * fails to say or to give is a state of the session (`host: 'failed'`), and is tried again.
 */
export function createHostSession(deps: HostSessionDeps): HostSession {
  const { app, config, identity, news, onTold, warn } = deps;
  const where = identity.kind === 'firebase' ? 'memory' : 'disk';
  const guard = guardPersistence(config.firebase.apiKey, app.name, { where });
  /** undefined: the host has not said anything yet. */
  let told: ToldUser | null | undefined;
  let failed = false;
  /** Whose session the auth service refuses, or billing's. */
  let dead: string | null = null;
  let handed: string | null = null;
  let isFirst = true;
  let retryAt = 0;
  const listeners: ((uid: string | null) => void)[] = [];
  const hear = ({ user, expired }: Pick<SessionReply, 'user' | 'expired'>): void => {
    dead = expired ? (user?.uid ?? null) : null;
    publish();
  };
  const inner = createAuthSession(app, config, { ...news, tell: hear }, guard);
  const { auth } = inner;
  const isHere = (uid: string): boolean => told?.uid === uid && auth.currentUser?.uid === uid;

  const reply = (user: ToldUser | null): SessionReply => ({
    user: user && toSessionUser(user),
    expired: user !== null && dead === user.uid,
    host: failed ? 'failed' : 'ready',
  });
  async function lastKnown(): Promise<SessionReply> {
    return { ...((await news.last()) ?? reply(null)), host: failed ? 'failed' : 'ready' };
  }
  function publish(): void {
    if (told !== undefined) news.tell(reply(told));
  }
  function fail(flaw: string): void {
    failed = true;
    retryAt = Date.now() + AGAIN_AFTER_MS;
    warn(flaw);
    if (told === undefined) void lastKnown().then(news.tell);
    else publish();
  }

  /** The worker before this one may have been refused, and nothing have changed since. */
  const remembered = news.last().then((last) => {
    if (last?.expired === true) dead ??= last.user?.uid ?? null;
    return dead;
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

  /** One change at a time: what was overtaken meanwhile is left out. */
  let queue: Promise<unknown> = Promise.resolve();
  function next(step: () => Promise<void>): Promise<unknown> {
    queue = queue.then(async () => {
      try {
        const outcome = await within(STEP_WITHIN_MS, step(), HUNG);
        if (outcome === HUNG) fail('the sign-in service or the browser’s storage does not answer');
      } catch (error) {
        refused(authFailureOf(error).code);
      }
    });
    return queue;
  }
  function refused(code: string): void {
    if (code === 'account_disabled' || code === 'session_expired') {
      retryAt = Date.now() + AGAIN_AFTER_REFUSAL_MS;
      if (told) dead = told.uid;
      publish();
    } else fail(`the user could not be signed in (${code})`);
  }

  function tell(given: unknown): void {
    const { user, flaw } = readTold(given, identity.kind, config.firebase.projectId);
    const isOther = told === undefined || told?.uid !== user?.uid;
    told = user;
    failed = false;
    retryAt = 0;
    first.resolve();
    if (isOther) onTold(user?.uid ?? null);
    if (flaw === null) void remembered.then(publish);
    else fail(flaw);
    void next(() => adopt(user));
  }

  async function adopt(user: ToldUser | null): Promise<void> {
    if (told !== user || !(await inner.ready())) return;
    if (user === null) {
      handed = null;
      if (auth.currentUser !== null || (await guard.peek()) !== null) await inner.signOut();
      return;
    }
    const wasRefused = (await remembered) === user.uid && isFirst;
    isFirst = false;
    if (user.account !== null) await hand(user, user.account);
    else if (identity.kind === 'custom-token' && !isHere(user.uid)) await bring(user, identity);
    if (!isHere(user.uid)) return;
    // The host may only have repeated itself: the service says whether the session is good again.
    if (wasRefused) {
      dead = user.uid;
      publish();
      const { kind } = await inner.token(user.uid, true);
      if (kind === 'token') inner.renewed();
    }
    for (const listener of listeners) if (isHere(user.uid)) listener(user.uid);
  }
  async function hand({ uid }: ToldUser, { json, refreshToken }: HandedAccount): Promise<void> {
    auth.tenantId = 'tenantId' in json && typeof json.tenantId === 'string' ? json.tenantId : null;
    try {
      await guard.hand(json);
    } catch (error) {
      // The SDK took the user over and could not renew their token just now.
      if (!isHere(uid)) throw error;
    }
    if (refreshToken !== handed && isHere(uid)) inner.renewed();
    handed = refreshToken;
  }
  async function bring({ uid }: ToldUser, { customToken }: CustomTokenIdentity): Promise<void> {
    const given = async (): Promise<string> => customToken(uid);
    let flaw: string | null;
    let token: string | typeof HUNG = HUNG;
    try {
      token = await within(CUSTOM_TOKEN_WITHIN_MS, given(), HUNG);
      flaw = token === HUNG ? 'customToken has not answered within 10 s' : flawOfToken(token, uid);
    } catch (error) {
      // The name only: the text may hold anything.
      flaw = `customToken threw ${error instanceof Error ? error.name : typeof error}`;
    }
    if (told?.uid !== uid) return;
    if (flaw !== null || token === HUNG) {
      fail(flaw ?? '');
      return;
    }
    await signInWithCustomToken(auth, token);
    failed = false;
    if (isHere(uid)) inner.renewed();
  }
  /** Signs in whom the host named, where the SDK does not have them: it failed before, or the session was taken back. */
  async function ensure(): Promise<void> {
    await queue;
    const user = told;
    if (!user || isHere(user.uid) || Date.now() < retryAt) return;
    // The host's own SDK has to bring a session that is good again.
    if (identity.kind === 'firebase' && dead === user.uid) return;
    await next(() => adopt(user));
  }

  async function ask(uid: string, renew?: boolean): Promise<TokenAnswer> {
    await within(WAIT_WITHIN_MS, ensure(), undefined);
    if (!isHere(uid)) return { kind: dead === uid ? 'signed_out' : 'unavailable' };
    const answer = await inner.token(uid, renew);
    // Another user of the SDK than the host's is the SDK's affair, while it catches up.
    return answer.kind === 'account_changed' ? { kind: 'unavailable' } : answer;
  }
  async function token(uid: string, renew?: boolean): Promise<TokenAnswer> {
    await heard();
    if (told === undefined) return { kind: 'unavailable' };
    const isMeant = (): boolean => told?.uid === uid;
    let answer: TokenAnswer | null = isMeant() ? await ask(uid, renew) : null;
    // A session that was taken back: the host may give another.
    const again = answer?.kind === 'signed_out' && identity.kind === 'custom-token' && isMeant();
    if (again) answer = await ask(uid);
    if (answer !== null && isMeant()) return answer;
    return { kind: told === null ? 'signed_out' : 'account_changed' };
  }

  return {
    ...inner,
    token,
    start() {
      const listen = async (): Promise<void> => void (await identity.onUser(tell));
      listen().catch(() => fail('onUser failed'));
    },
    async session() {
      // Whoever it is when it is asked: a click of theirs is not the next one's.
      let user = told;
      await Promise.all([heard(), remembered]);
      if (user === undefined) user = told;
      if (user === undefined) return lastKnown();
      void ensure();
      return { ...reply(user), ...((await inner.ready()) ? {} : { unreadable: true }) };
    },
    onUser(listener) {
      listeners.push(listener);
      inner.onUser((uid) => {
        if (told && (uid === null || uid === told.uid)) listener(uid);
      });
    },
  };
}

import { createHash } from 'node:crypto';
import { type Caller, type Scope, scopesOf } from '@extension-billing/contract/callers';
import type { Millis } from '@extension-billing/contract/customer';
import { USER_HEADER } from '@extension-billing/contract/headers';
import type { Request, RequestHandler, Response } from 'express';
import type { AppDeps } from '../deps.ts';
import { type Claimant, claimantOf, NOBODY } from '../free/identity.ts';
import { findAccount } from '../store/accounts.ts';
import { parseUid, type Uid } from '../store/documents.ts';
import { InvalidRequest, Unavailable } from './answer.ts';

// Who is calling: the ID token of a request, or the service that it proves; and whether a user's session still holds.

/** No valid ID token came with the request: the error handler answers 401 with `WWW-Authenticate: Bearer`. */
export class Unauthenticated extends Error {
  constructor(detail: string) {
    super(detail);
    this.name = 'Unauthenticated';
  }
}

/** The caller is known, and this route is not for it: the error handler answers 403. */
export class CallerNotAllowed extends Error {
  /** What a service would need here; null where none may call. */
  readonly scope: Scope | null;

  constructor(detail: string, scope: Scope | null) {
    super(detail);
    this.name = 'CallerNotAllowed';
    this.scope = scope;
  }
}

/** A service that has proved itself. */
export interface Service {
  /** Stays the same as long as the service is the same one: `key:<id>`, `account:<e-mail>`, `process:<name>`. */
  readonly id: string;
  readonly scopes: readonly Scope[];
}

/** What only services need (services/): loaded when a request may be of one. */
export interface Services {
  /** The service that a bearer token proves; null where it proves none. @throws Unavailable */
  find(token: string): Promise<Service | null>;
  /** Who the user for whom a service acts is, as far as free credits go. @throws Unavailable */
  claimantOf(uid: Uid): Promise<Claimant>;
}

/** How a user came by their token. */
interface SignIn {
  /** When the user last proved who they are; a renewed token keeps it. */
  readonly at: Millis;
  /** The session began as a guest's. The account may have a sign-in since: its session goes on with such tokens. */
  readonly isAnonymous: boolean;
}

interface CheckedToken {
  readonly uid: Uid;
  readonly signIn: SignIn;
  /** Who asks for free credits: a hash, never the address itself. */
  readonly claimant: Claimant;
  /** When the token stops being valid. */
  readonly expiresAt: Millis;
}

/** Tokens remembered per instance; the oldest goes first. */
const REMEMBERED_TOKENS = 10_000;
/** An ID token is about 1 KB, with large custom claims 2; anything far beyond is not one. */
const MAX_TOKEN_LENGTH = 8_192;

/**
 * Lets a request through only where its route is for its caller: a user with a valid Firebase ID token of this project
 * as the Bearer token, or a service that names the user for whom it acts. Keeps the user for `userOf`, and the service
 * for `serviceOf`.
 *
 * Checking a user's signature costs about 120 µs and now and then a call for Google's keys, so a checked token is
 * remembered by its SHA-256 (never itself) until it expires. A user who is disabled or signed out everywhere keeps
 * access until the token's own end, at most an hour, as with `verifyIdToken` without its revocation check.
 */
export function requireCaller(
  deps: Pick<AppDeps, 'auth' | 'now' | 'trusted'>,
  services: () => Promise<Services>,
): (callers: readonly Caller[]) => RequestHandler {
  const remembered = new Map<string, CheckedToken>();

  return (callers) => async (req, res, next) => {
    const token = bearerToken(req.headers.authorization);
    const fingerprint = createHash('sha256').update(token).digest('base64');
    const known = remembered.get(fingerprint);
    if (known !== undefined && known.expiresAt > deps.now()) {
      keepUser(req, res, known, callers);
      return next();
    }
    remembered.delete(fingerprint);
    if (deps.trusted !== undefined || isOfService(token)) {
      const service = await (await services()).find(token);
      if (service !== null) {
        keepService(req, res, service, callers);
        return next();
      }
    }
    const checked = await checkToken(deps, token);
    remembered.set(fingerprint, checked);
    if (remembered.size > REMEMBERED_TOKENS) forgetOldest(remembered);
    keepUser(req, res, checked, callers);
    return next();
  };
}

/** Finds out who the user for whom a service acts is, where there is something for free. Behind `requireCaller`. */
export function knowClaimant(
  { catalog }: Pick<AppDeps, 'catalog'>,
  services: () => Promise<Services>,
): RequestHandler {
  return async (_req, res, next) => {
    if (serviceOf(res) !== null && catalog().free !== null) {
      res.locals.claimant = await (await services()).claimantOf(userOf(res));
    }
    next();
  };
}

/** Keys of `billing keys` begin so. */
const SERVICE_KEY = /^ebk_/;
/** Whoever signs a Google service account's ID token. Firebase never signs as one of these. */
export const GOOGLE_ISSUERS: readonly string[] = ['https://accounts.google.com', 'accounts.google.com'];

/** Whether a token says that it is a service's. It proves nothing: what says so falsely is refused as such. */
function isOfService(token: string): boolean {
  return SERVICE_KEY.test(token) || isGoogles(token);
}

/** Whether a token says that Google signed it, as those of service accounts are. It proves nothing. */
export function isGoogles(token: string): boolean {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    if (typeof claims !== 'object' || claims === null || !('iss' in claims)) return false;
    return typeof claims.iss === 'string' && GOOGLE_ISSUERS.includes(claims.iss);
  } catch {
    return false;
  }
}

function keepUser(
  req: Request,
  res: Response,
  { uid, signIn, claimant }: CheckedToken,
  callers: readonly Caller[],
): void {
  if (!callers.includes('user')) {
    const [scope = null] = scopesOf(callers);
    throw new CallerNotAllowed('This is for services of the owner; no user may ask for it.', scope);
  }
  if (req.headers[NAMES_USER] !== undefined) {
    throw new InvalidRequest(`${USER_HEADER}: only a service names a user; leave it out.`);
  }
  res.locals.uid = uid;
  res.locals.service = null;
  res.locals.signIn = signIn;
  res.locals.claimant = claimant;
}

/** As Node has it. */
const NAMES_USER = USER_HEADER.toLowerCase();

/** A header that came twice is joined by ", ", and one that is not ASCII is read as other characters: nobody is meant. */
const NAMED_ONCE = /^[!-~]+$/;

function keepService(req: Request, res: Response, { id, scopes }: Service, callers: readonly Caller[]): void {
  const wanted = scopesOf(callers);
  if (!wanted.some((scope) => scopes.includes(scope))) {
    const [scope = null] = wanted;
    const detail =
      scope === null
        ? 'Only users may ask for this, with their own ID token.'
        : `This service lacks the scope "${scope}".`;
    throw new CallerNotAllowed(detail, scope);
  }
  const named = req.headers[NAMES_USER];
  const uid = typeof named === 'string' && NAMED_ONCE.test(named) ? parseUid(named) : null;
  if (uid === null) {
    const detail = `${USER_HEADER}: name the user for whom you act by the uid, once, 1 to 128 ASCII characters.`;
    throw new InvalidRequest(detail, 'user_required');
  }
  res.locals.uid = uid;
  res.locals.service = id;
  // Nobody, unless `knowClaimant` finds out more.
  res.locals.claimant = NOBODY;
}

/** The person behind a request that passed `requireCaller`, as far as free credits go. */
export function claimantOfRequest(res: Response): Claimant {
  const claimant: Claimant | undefined = res.locals.claimant;
  if (claimant === undefined) throw new Error('this route is not mounted behind requireCaller');
  return claimant;
}

/** How the signed-in user of a request that passed `requireCaller` came by their token. */
export function signInOf(res: Response): SignIn {
  const signIn: SignIn | undefined = res.locals.signIn;
  if (signIn === undefined) throw new Error('this route is not mounted behind requireCaller');
  return signIn;
}

/** The service that sent a request that passed `requireCaller`; null where the user did. */
export function serviceOf(res: Response): string | null {
  const service: string | null | undefined = res.locals.service;
  if (service === undefined) throw new Error('this route is not mounted behind requireCaller');
  return service;
}

/** What the entry of a request says of who asked for it. */
export function askedBy(res: Response): { readonly by?: string } {
  const id = serviceOf(res);
  return id === null ? {} : { by: pseudonymOf(id) };
}

/**
 * Users read their ledger: no key's id and no service account's address stands in it, only a hash that the owner can
 * compute (docs/service-callers.md).
 */
function pseudonymOf(id: string): string {
  const [sort] = id.split(':');
  return sort === 'process' ? id : `${sort}:${createHash('sha256').update(id).digest('hex').slice(0, 16)}`;
}

/** The user of a request that passed `requireCaller`: who signed in, or for whom a service acts. */
export function userOf(res: Response): Uid {
  const uid = parseUid(res.locals.uid);
  if (uid === null) throw new Error('this route is not mounted behind requireCaller');
  return uid;
}

function bearerToken(header: string | undefined): string {
  const token = /^Bearer +([\w.~+/=-]+)$/i.exec(header ?? '')?.[1];
  if (token === undefined || token.length > MAX_TOKEN_LENGTH) {
    throw new Unauthenticated('Send "Authorization: Bearer <Firebase ID token, or a service’s key>".');
  }
  return token;
}

async function checkToken(deps: Pick<AppDeps, 'auth' | 'now'>, token: string): Promise<CheckedToken> {
  try {
    const decoded = await deps.auth.verifyIdToken(token);
    const uid = parseUid(decoded.uid);
    const expiresAt = decoded.exp * 1000;
    const isAnonymous = decoded.firebase?.sign_in_provider === 'anonymous';
    const signIn = { at: decoded.auth_time * 1000, isAnonymous };
    const claimant = claimantOf(decoded);
    if (uid !== null && expiresAt > deps.now()) return { uid, signIn, claimant, expiresAt };
  } catch (error) {
    if (!isTokenRefused(error)) {
      throw new Unavailable('ID tokens cannot be checked at the moment; try again shortly.', 1, error);
    }
  }
  throw new Unauthenticated('The ID token is not valid (expired, or of another project); sign in again.');
}

/**
 * Whether firebase-admin says "this token is no good", as opposed to "I could not check it". A failed fetch
 * of Google's keys comes as `auth/argument-error` too; only a refusal's message speaks of the ID token.
 */
export function isTokenRefused(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  if (error.code === 'auth/argument-error') return error.message.includes('ID token');
  return REFUSALS.has(error.code);
}

const REFUSALS: ReadonlySet<unknown> = new Set([
  'auth/id-token-expired',
  'auth/id-token-revoked',
  'auth/invalid-id-token',
  'auth/user-disabled',
  'auth/user-not-found',
]);

function forgetOldest(remembered: Map<string, CheckedToken>): void {
  const [oldest] = remembered.keys();
  if (oldest !== undefined) remembered.delete(oldest);
}

/**
 * Refuses a token whose sign-in was taken back, although the token itself is valid up to an hour longer: the user
 * signed out everywhere, changed the password or was disabled. One call to the accounts service, so only for the routes
 * that show or end what belongs to a user (docs/decisions/sign-in.md#portal-and-deletion-check-the-session).
 *
 * @param ifGone what a user who is no more means: somebody's old token, or the rest of a deletion that began
 * @returns what the accounts service says of the user
 * @throws Unauthenticated, and Unavailable where the accounts service does not say
 */
export async function checkSession(
  { auth }: Pick<AppDeps, 'auth'>,
  res: Response,
  ifGone: 'refuse' | 'pass',
): Promise<AccountState> {
  const state = await stateOf(auth, res);
  if (state === 'ended' || (state === 'gone' && ifGone === 'refuse')) {
    throw new Unauthenticated('This session has ended; sign in again.');
  }
  return state;
}

async function stateOf(auth: AppDeps['auth'], res: Response): Promise<AccountState | 'ended'> {
  const account = await findAccount(auth, userOf(res)).catch((error: unknown) => {
    throw new Unavailable('Sessions cannot be checked at the moment; try again shortly.', 1, error);
  });
  if (account === null) return 'gone';
  const { disabled, tokensValidAfterTime, providerData } = account;
  const validAfter = Date.parse(tokensValidAfterTime ?? '');
  if (disabled === true || signInOf(res).at < validAfter) return 'ended';
  return providerData.length > 0 ? 'with_sign_in' : 'without_sign_in';
}

/** What the accounts service says of the user now: with nothing to sign in with, with something, or no more. */
export type AccountState = 'without_sign_in' | 'with_sign_in' | 'gone';

import type { BalanceResponse, ConsumeResponse } from '@extension-billing/contract/api';
import { ConsumeRequest, IdempotencyKey } from '@extension-billing/contract/api';
import type { Catalog, GatePreset } from '@extension-billing/contract/catalog';
import { creditsAt } from '@extension-billing/contract/credits';
import {
  type CreditParts,
  drawn,
  hasEntitlement,
  isPaidAt,
  NO_CREDITS,
} from '@extension-billing/contract/customer';
import { costOf, gateOf } from '@extension-billing/contract/features';
import { VERSION_HEADER } from '@extension-billing/contract/headers';
import type { ConsumeEntry, RequestEntry } from '@extension-billing/contract/ledger';
import type { Request, RequestHandler, Response } from 'express';
import * as v from 'valibot';
import type { AppDeps } from '../deps.ts';
import { withoutFree } from '../free/budget.ts';
import { type FreeAccess, freeAccessOf, readWithFree } from '../free/give.ts';
import { InvalidRequest, sendJson, sendProblem } from '../http/answer.ts';
import { askedBy, claimantOfRequest, userOf } from '../http/authenticate.ts';
import { parseBody } from '../http/body.ts';
import { logOf, requestIdOf, TooManyRequests } from '../http/gates.ts';
import { paths, readCustomer } from '../store/documents.ts';
import { groupRead } from '../store/group-read.ts';
import type { ConsumeDecision, CreditCommand, DecisionOf, UnrecordedDecision } from './commands.ts';
import { commitCredits, knownVersion, versionOf } from './commit.ts';
import type { VersionSeal } from './versions.ts';

/**
 * POST /credits/consume: spends what a feature costs, once per idempotency key (specification, "Credit balance
 * moves"; design, section 3). The cost comes from the catalogue, never from the client.
 */
export function consumeRoute(deps: AppDeps, seal: VersionSeal): RequestHandler {
  const carryOut = creditsOfRequests(deps, seal);
  return async (req, res) => {
    const key = idempotencyKey(req.headers['idempotency-key']);
    const { feature } = parseBody(ConsumeRequest, req.body);
    const { gate, cost, hold, ...needs } = pricedFeature(deps.catalog(), feature);
    if (gate !== 'metered') return answerUnmetered(deps, res, { kind: 'consume', feature, gate, ...needs });
    if (hold !== undefined) throw heldNotConsumed();
    const decision = await carryOut(req, res, { kind: 'consume', key, feature, cost, ...needs });
    const isRefused = decision.kind === 'free' && !runsWithoutCredits(deps.catalog());
    logOf(res).info('consume', { outcome: isRefused ? 'no_credits' : decision.kind, feature });
    if (isRefused) sendNoCredits(res);
    else answer(res, decision, needs);
  };
}

/**
 * How a route has a command carried out on the credits of its request's user: with what they may have for free, and on
 * the version that the request carries, where that is the newest known. The answer carries the next one
 * (docs/decisions/credits.md#the-client-carries-the-version).
 */
export function creditsOfRequests(deps: AppDeps, { seal, open }: VersionSeal) {
  return async <Command extends CreditCommand>(
    req: Request,
    res: Response,
    command: Command,
  ): Promise<DecisionOf<Command>> => {
    const uid = userOf(res);
    const now = deps.now();
    const sent = req.get(VERSION_HEADER);
    const carried = sent === undefined ? null : open(uid, sent, now);
    const asked: Command = { ...command, correlationId: requestIdOf(res), ...askedBy(res) };
    const decision = await commitCredits(deps.firestore, uid, asked, now, freeOf(deps, res), carried);
    const known = knownVersion(deps.firestore, uid, now);
    if (known !== null) sendVersion(res, seal(uid, known, now));
    return decision;
  };
}

function sendVersion(res: Response, sealed: string | null): void {
  if (sealed !== null) res.setHeader(VERSION_HEADER, sealed);
}

/** Catalogues without free credits skip free/ entirely. */
function freeOf(deps: AppDeps, res: Response): FreeAccess | null {
  return deps.catalog().free === null ? null : freeAccessOf(deps, claimantOfRequest(res));
}

/**
 * Whether an account without credits runs metered features all the same. Not where accounts get some for free: who gets
 * none of them would have more than the others (docs/decisions/free-credits.md#one-person-one-allowance).
 */
export function runsWithoutCredits({ unmetered, free }: Catalog): boolean {
  return unmetered === 'free' && free === null;
}

/** An account without credits, where those are needed: nothing is written, so the same key may be tried again. */
export function sendNoCredits(res: Response): void {
  const detail =
    'This account has no credits: buy some, or a plan that brings them (POST /billing/checkout).';
  sendProblem(res, 'credits_exhausted', detail, { balance: 0, allowance: 0, replayed: false });
}

/** The project has spent its free credits of the day: nothing is recorded, so the same key may be tried again. */
function sendFreeCeiling(res: Response, { allowance, packs }: CreditParts): void {
  const detail = 'The free credits of this day (UTC) are spent; credits that were paid for go on.';
  const fields = { balance: allowance + packs, allowance, replayed: false };
  sendProblem(res, 'free_ceiling_reached', detail, fields);
}

function answer(res: Response, decision: ConsumeDecision, needs: Needs): void {
  switch (decision.kind) {
    case 'granted':
    case 'exhausted':
      answerEntry(res, decision.entry, false);
      break;
    case 'replayed':
      answerEntry(res, decision.entry, true);
      break;
    case 'free':
      sendJson(res, 200, FREE satisfies ConsumeResponse);
      break;
    default:
      answerUnrecorded(res, decision, needs);
  }
}

/**
 * Answers a consume or a reserve of which nothing was recorded: but for a key that was used before, the same key may be
 * tried again.
 *
 * @throws TooManyRequests
 */
export function answerUnrecorded(res: Response, decision: UnrecordedDecision, needs: Needs): void {
  switch (decision.kind) {
    case 'key_reused': {
      const detail = 'This key was used for another request; send a new one.';
      sendProblem(res, 'idempotency_key_reused', detail);
      break;
    }
    case 'too_many_refusals':
      // A top-up is seen at once: only requests that would be refused get this.
      throw new TooManyRequests(60, 'requests without the credits for them');
    case 'plan_required':
      sendPlanRequired(res, needs);
      break;
    case 'free_ceiling':
      sendFreeCeiling(res, decision.available);
      break;
    default:
      decision satisfies never;
  }
}

/** The recorded outcome as an answer: a retry gets the very body of the first answer, marked as replayed. */
function answerEntry(res: Response, entry: ConsumeEntry, replayed: boolean): void {
  if (entry.outcome === 'exhausted') {
    sendExhausted(res, entry, replayed);
    return;
  }
  const body: ConsumeResponse = { ok: true, ...balancesAfter(entry), cost: entry.cost, replayed };
  sendJson(res, 200, body);
}

/**
 * GET /credits/balance: whole credits that can be spent now, so without what reservations hold; 0 and 0 for an
 * account without credits (design, section 3; docs/decisions/reservations.md#a-hold-lives-in-the-record-and-ends-once).
 */
export function balanceRoute(deps: AppDeps, { seal }: VersionSeal): RequestHandler {
  return async (_req, res) => {
    const uid = userOf(res);
    const free = freeOf(deps, res);
    const customer =
      free === null ? await groupRead(deps.firestore, paths.customer(deps.firestore, uid)) : null;
    const now = deps.now();
    const record =
      customer === null
        ? await readWithFree(deps.firestore, uid, free, now)
        : withoutFree(readCustomer(customer), now);
    const known = customer === null ? null : versionOf(customer);
    if (known !== null) sendVersion(res, seal(uid, known, now));
    const credits = creditsAt(record, now);
    const { allowance, packs } = credits ?? NO_CREDITS;
    logOf(res).info('balance_read', { inUse: credits !== null });
    sendJson(res, 200, { balance: allowance + packs, allowance } satisfies BalanceResponse);
  };
}

/** The `Idempotency-Key` header. @throws InvalidRequest */
export function idempotencyKey(header: unknown): string {
  if (v.is(IdempotencyKey, header)) return header;
  throw new InvalidRequest(
    'Send an Idempotency-Key header: 1 to 128 letters, digits, "_" or "-", a new one for each spend.',
    'idempotency_key_required',
  );
}

/** What the catalogue says of a feature. @throws InvalidRequest where it has none of this name */
export function pricedFeature(
  catalog: Catalog,
  feature: string,
): { readonly gate: GatePreset; readonly cost: number; readonly hold?: number } & Needs {
  const gate = gateOf(catalog, feature);
  const cost = costOf(catalog, feature);
  if (gate !== undefined && cost !== undefined) {
    const { hold, needs } = catalog.features[feature] ?? {};
    return { gate, cost, ...(hold !== undefined && { hold }), ...(needs !== undefined && { needs }) };
  }
  throw new InvalidRequest('feature: the catalogue has no feature of this name.', 'unknown_feature');
}

/** What is measured has no cost before its work is done. */
function heldNotConsumed(): InvalidRequest {
  return new InvalidRequest(
    'feature: what it takes is measured; hold it (POST /credits/reserve), do the work, then settle or confirm.',
    'hold_required',
  );
}

/** What could be spent after a recorded request: the same at every replay. */
export function balancesAfter({ allowance, packCredits, held = 0, limited = 0, createdAt }: RequestEntry) {
  const left = drawn({ allowance: allowance - limited, packs: packCredits }, held);
  return {
    balance: left.allowance + left.packs,
    allowance: left.allowance,
    packCredits: left.packs,
    updatedAt: createdAt,
  };
}

/** An account without credits: the feature runs, nothing is spent (specification, "Credit balance moves", 3). */
export const FREE = {
  ok: true,
  balance: null,
  allowance: null,
  packCredits: null,
  cost: 0,
  replayed: false,
  updatedAt: null,
} as const;

export function sendExhausted(res: Response, entry: RequestEntry, replayed: boolean): void {
  const { balance, allowance } = balancesAfter(entry);
  const detail = 'The balance does not cover this feature: top up to go on.';
  sendProblem(res, 'credits_exhausted', detail, { balance, allowance, replayed });
}

/** What a feature needs whatever its gate: an entitlement, or nothing. */
export interface Needs {
  readonly needs?: string;
}

/** Nothing was recorded, so that the same key may be tried again once the plan is there. */
function sendPlanRequired(res: Response, { needs }: Needs): void {
  const detail =
    needs === undefined
      ? 'This feature comes with a plan: buy one (POST /billing/checkout).'
      : `This feature comes with a plan that has "${needs}": buy one (POST /billing/checkout).`;
  sendProblem(res, 'plan_required', detail, needs === undefined ? {} : { entitlement: needs });
}

/**
 * Answers a consume or a reserve of a feature whose gate takes no credits: it runs, or it needs a plan. Nothing is
 * written, so a retry is decided anew; the balances are answered as they stand (docs/decisions/catalogue.md#gates).
 */
export async function answerUnmetered(
  { firestore, now }: Pick<AppDeps, 'firestore' | 'now'>,
  res: Response,
  request: {
    readonly kind: 'consume' | 'reserve';
    readonly feature: string;
    readonly gate: UnmeteredGate;
  } & Needs,
  extra: object = {},
): Promise<void> {
  const { kind, feature, gate, needs } = request;
  const record = readCustomer(await groupRead(firestore, paths.customer(firestore, userOf(res))));
  const isLacking = needs !== undefined && !hasEntitlement(record, needs, now());
  const decision = isLacking ? 'plan_required' : decideGate(gate, isPaidAt(record, now()));
  logOf(res).info(kind, { outcome: decision, feature });
  if (decision === 'plan_required') return sendPlanRequired(res, isLacking ? { needs } : {});
  const balances = creditsAt(record, now());
  sendJson(res, 200, {
    ...extra,
    ok: true,
    balance: balances === null ? null : balances.allowance + balances.packs,
    allowance: balances?.allowance ?? null,
    packCredits: balances?.packs ?? null,
    cost: 0,
    replayed: false,
    updatedAt: balances === null ? null : (record?.updatedAt ?? null),
  } satisfies ConsumeResponse);
}

/** A gate that takes no credits. */
type UnmeteredGate = Exclude<GatePreset, 'metered'>;
type GateDecision = 'open' | 'plan_required';

/** Whether a feature behind such a gate may run. */
export function decideGate(gate: UnmeteredGate, paid: boolean): GateDecision {
  switch (gate) {
    case 'none':
      return 'open';
    case 'paywall':
      return paid ? 'open' : 'plan_required';
    default:
      return gate satisfies never;
  }
}

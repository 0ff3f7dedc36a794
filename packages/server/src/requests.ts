import type { BalanceResponse } from '@extension-billing/contract/api';
import { MAX_LABEL, MAX_QUANTITY } from '@extension-billing/contract/measured';
import { ask, type Door, type Question, type Reply } from './ask.ts';
import type {
  Account,
  Billing,
  ConfirmRefusal,
  Consumed,
  ConsumeRefusal,
  Ended,
  Granted,
  GrantRefusal,
  Hold,
  HoldOptions,
  HoldRefusal,
  Measured,
  Refusal,
  ReleaseRefusal,
  RevokeRefusal,
  SettleRefusal,
} from './billing.ts';
import { BillingError } from './billing-error.ts';
import { carryingVersions } from './carried-versions.ts';
import { withCreditsOf } from './with-credits.ts';

/** Milliseconds for a call and its repetitions. */
export interface Patience {
  /** 20,000 without it. */
  readonly withinMs?: number;
  /** Of what takes what is held, whose work is done already: 60,000 without it. */
  readonly settleWithinMs?: number;
}

/** Milliseconds for letting a hold go, with its repetitions. */
const RELEASE_MS = 5_000;

/** The interface on top of whatever carries its questions. */
export function billingThrough<Feature extends string>(
  plainDoor: Door,
  verifyUser: Billing['verifyUser'],
  { withinMs = 20_000, settleWithinMs = 60_000 }: Patience,
): Billing<Feature> {
  const door = carryingVersions(plainDoor);
  const post = (path: Question['path'], uid: string, body: object, key?: string): Promise<Reply> =>
    ask(door, { method: 'POST', path, uid, body, withinMs, ...(key !== undefined && { key }) });
  const end = async <Refused>(path: Question['path'], uid: string, body: object, patience = settleWithinMs) =>
    answered<Ended, Refused>(await ask(door, { method: 'POST', path, uid, body, withinMs: patience }), ENDED);
  const settle = (uid: string, reservation: string, measured: Measured) =>
    end<SettleRefusal>('/credits/settle', uid, { reservation, ...wholly(withinLimits(measured)) });
  const confirm = (uid: string, reservation: string) =>
    end<ConfirmRefusal>('/credits/confirm', uid, { reservation });
  // What is not let go frees itself, so nobody waits long for it.
  const release = (uid: string, reservation: string) =>
    end<ReleaseRefusal>('/credits/release', uid, { reservation }, Math.min(withinMs, RELEASE_MS));

  const holdFor = async (
    uid: string,
    feature: string,
    { key = crypto.randomUUID(), ...options }: HoldOptions & { readonly attempt?: string },
  ): Promise<Hold | HoldRefusal> => {
    const reply = await post('/credits/reserve', uid, { feature, ...wholly(options) }, key);
    const held = answered<Held, HoldRefusal>(reply, HELD);
    if (!held.ok) return held;
    // Where nothing had to be held, there is nothing to end.
    const nothing = held.expiresAt === null ? endOfNothing(held) : null;
    return {
      ...held,
      settle: async (measured) => nothing ?? settle(uid, held.reservation, measured),
      confirm: async () => nothing ?? confirm(uid, held.reservation),
      release: async () => nothing ?? release(uid, held.reservation),
    };
  };

  const account: Billing['account'] = async (uid) => {
    const reply = await ask(door, { method: 'GET', path: '/account', uid, withinMs });
    return read<Account>(reply, ['uid', 'paid', 'entitlements', 'balance']);
  };

  return {
    verifyUser,
    account,
    async entitlements(uid) {
      const { paid, entitlements } = await account(uid);
      return paid ? [...entitlements, 'paid'] : entitlements;
    },
    async balance(uid) {
      const reply = await ask(door, { method: 'GET', path: '/credits/balance', uid, withinMs });
      return read<BalanceResponse>(reply, ['balance', 'allowance']);
    },
    async consume(uid, feature, { key = crypto.randomUUID() } = {}) {
      const reply = await post('/credits/consume', uid, { feature }, key);
      return answered<Consumed, ConsumeRefusal>(reply, SPENT);
    },
    hold: (uid, feature, options = {}) => holdFor(uid, feature, options),
    settle,
    confirm,
    release,
    async grant(uid, given, { key = crypto.randomUUID() } = {}) {
      return answered<Granted, GrantRefusal>(await post('/grants', uid, given, key), GRANTED);
    },
    async revokeGrant(uid, grant, reason) {
      return answered<Granted, RevokeRefusal>(await post('/grants/revoke', uid, { grant, reason }), GRANTED);
    },
    withCredits: withCreditsOf(holdFor),
  };
}

/**
 * JSON leaves out what is undefined, and a unit that the upstream did not count would be one that was not used: free. As
 * null the service refuses it.
 */
function wholly<Named extends { readonly units?: Readonly<Record<string, number>> | undefined }>(
  named: Named,
) {
  const { units } = named;
  if (typeof units !== 'object' || units === null) return named;
  const counted = Object.entries(units).map(([unit, quantity]) => [unit, quantity ?? null]);
  return { ...named, units: Object.fromEntries(counted) };
}

/** Labels and units often come from users and upstreams: too long or too large, they must not void the charge. */
function withinLimits({ label, ...amount }: Measured): Measured {
  const shown = typeof label === 'string' ? labelOf(label) : '';
  const words = shown === '' ? {} : { label: shown };
  const { units } = amount;
  if (typeof units !== 'object' || units === null) return { ...amount, ...words };
  const capped = Object.entries(units).map(([unit, quantity]) => [
    unit,
    typeof quantity === 'number' && quantity > MAX_QUANTITY ? MAX_QUANTITY : quantity,
  ]);
  return { units: Object.fromEntries(capped), ...words };
}

/** As much of a text as a receipt takes: no control characters, no half of a surrogate pair. */
function labelOf(text: string): string {
  let label = '';
  for (const character of text.slice(0, 10 * MAX_LABEL)) {
    if (label.length + character.length > MAX_LABEL) break;
    if (/^[ -~\u00a0-\ud7ff\ue000-\u{10ffff}]$/u.test(character)) label += character;
  }
  return label;
}

/** As much of a hold as the service answers. */
type Held = Omit<Hold, 'settle' | 'confirm' | 'release'>;

const SPENT = ['ok', 'cost', 'replayed', 'balance'] as const satisfies readonly (keyof Consumed)[];
const HELD = [...SPENT, 'reservation', 'expiresAt'] as const satisfies readonly (keyof Hold)[];
const ENDED = [...SPENT, 'shortfall'] as const satisfies readonly (keyof Ended)[];

const GRANTED = ['ok', 'grant', 'account'] as const satisfies readonly (keyof Granted)[];

/** A 200 as what it says, a refusal as a value. */
function answered<Done extends { readonly ok: true }, Refused>(
  reply: Reply,
  fields: readonly (keyof Done & string)[],
): Done | Refused {
  return reply.ok ? read<Done>(reply, fields) : (refusalOf(reply) as Refused);
}

/** Only that the fields are there: their types are the contract's. A service that is newer may say more. */
function read<Done>(reply: Reply, fields: readonly (keyof Done & string)[]): Done {
  if (!reply.ok) {
    const { code, status, detail } = reply.problem;
    throw new BillingError(code, detail, { status });
  }
  const missing = fields.filter((field) => !(field in reply.body));
  if (missing.length === 0) return reply.body as Done;
  throw new BillingError(
    'unexpected_answer',
    `The answer has no ${missing.join(', ')}: is "url" the address of the billing function?`,
    { status: 200 },
  );
}

function refusalOf({ problem, retryAfterSeconds }: Extract<Reply, { readonly ok: false }>): Refusal<string> {
  const { type: _type, title: _title, status: _status, code, replayed: _replayed, ...rest } = problem;
  return { ok: false, reason: code, ...rest, ...(retryAfterSeconds !== null && { retryAfterSeconds }) };
}

function endOfNothing({ balance, allowance, packCredits, updatedAt }: Held): Ended {
  return { ok: true, balance, allowance, packCredits, updatedAt, cost: 0, shortfall: 0, replayed: false };
}

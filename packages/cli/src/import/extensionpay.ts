import type { Millis } from '@extension-billing/contract/customer';
import { DAY } from '@extension-billing/contract/time';
import type { Stripe } from 'stripe';
import * as v from 'valibot';
import { Refusal } from '../local/refusal.ts';
import { readCsv } from './csv.ts';
import { costName, GIVEN, type SourcePrice } from './mapping.ts';
import { NOBODY, type Person, type SaidRight } from './person.ts';
import { listGuestPayments } from './stripe-objects.ts';

// ExtensionPay is hosted and documents no export. What it documents is the user that its library answers
// (github.com/Glench/ExtPay, README, "user object properties"), and that payments go to the owner's own Stripe account:
// so people come from that account, and from a file of such users for those who never paid.

const LENGTH = { month: 31 * DAY, year: 366 * DAY } as const;

const When = v.pipe(
  v.string(),
  v.transform((text) => Date.parse(text)),
  v.number('is no date'),
  v.check((at) => Number.isFinite(at), 'is no date'),
);
const optional = <Schema extends v.GenericSchema>(schema: Schema) => v.optional(v.nullable(schema), null);
const Whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
/** Their README has `intervalCount: 'month', interval: 1` in an example, and the other way round in its table. */
const Plan = v.pipe(
  v.object({
    unitAmountCents: Whole,
    currency: v.pipe(v.string(), v.toLowerCase()),
    nickname: optional(v.string()),
    interval: v.union([v.string(), v.number()]),
    intervalCount: optional(v.union([v.string(), v.number()])),
  }),
  v.transform(({ interval, intervalCount, ...plan }) =>
    typeof interval === 'number'
      ? { ...plan, interval: intervalCount, count: interval }
      : { ...plan, interval, count: intervalCount ?? 1 },
  ),
  v.object({
    unitAmountCents: v.number(),
    currency: v.string(),
    nickname: v.nullable(v.string()),
    interval: v.picklist(['month', 'year', 'once']),
    count: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  }),
);
const User = v.object({
  email: optional(v.pipe(v.string(), v.trim(), v.toLowerCase())),
  paid: v.boolean(),
  paidAt: optional(When),
  trialStartedAt: optional(When),
  plan: optional(Plan),
  subscriptionStatus: optional(v.string()),
  subscriptionCancelAt: optional(When),
});
type User = v.InferOutput<typeof User>;

/** What the owner says of their trials: ExtensionPay keeps when one began, the extension's own code how long it is. */
export interface TrialLength {
  readonly trial: Millis | null;
  readonly now: Millis;
}

/**
 * The users in a file: a JSON list, JSON by the line, or CSV with the same names (`plan.interval` for what is inside).
 *
 * @throws Refusal with the row and what is wrong with it: half of a list would take rights from the other half
 */
export function readUsers(text: string): readonly User[] {
  return rowsIn(text).map((row, index) => {
    const { success, output, issues } = v.safeParse(User, row);
    if (success) return output;
    const [issue] = issues;
    throw new Refusal(`User ${index + 1} of the file: ${v.getDotPath(issue) ?? ''} ${issue.message}`);
  });
}

function rowsIn(text: string): readonly unknown[] {
  const begin = text.trimStart().charAt(0);
  try {
    if (begin === '[') return JSON.parse(text);
    if (begin === '{')
      return text
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line) => JSON.parse(line));
  } catch (error) {
    throw new Refusal(`The file is no JSON: ${error instanceof Error ? error.message : error}`);
  }
  return readCsv(text).map(nested);
}

const PAID_WORDS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);
const COUNTS: ReadonlySet<string> = new Set(['plan.unitAmountCents', 'plan.interval', 'plan.intervalCount']);

/** A CSV row as the user that it stands for: `plan.interval` is inside of `plan`, and what is empty is absent. */
function nested(row: Readonly<Record<string, string>>): unknown {
  const user: Record<string, unknown> = {};
  const plan: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(row)) {
    if (text === '') continue;
    if (name === 'paid') user[name] = PAID_WORDS.get(text.toLowerCase()) ?? text;
    else if (!name.startsWith('plan.')) user[name] = text;
    else plan[name.slice('plan.'.length)] = COUNTS.has(name) && /^\d+$/.test(text) ? Number(text) : text;
  }
  return Object.keys(plan).length === 0 ? user : { ...user, plan };
}

/** The people in a file: of one mail address one, with all that its rows say. Without an address nobody is found again. */
export function peopleOf(users: readonly User[], { trial, now }: TrialLength): readonly Person[] {
  const byMail = new Map<string, Person>();
  for (const user of users) {
    const { email: mail, trialStartedAt } = user;
    if (mail === null) continue;
    const known = byMail.get(mail) ?? { ...NOBODY, name: mail, mail };
    byMail.set(mail, {
      ...known,
      said: [...known.said, ...rightsOf(user, trial, now)],
      trialUsed: known.trialUsed || trialStartedAt !== null,
    });
  }
  return [...byMail.values()];
}

/** `paid` is the only word on whether somebody may use what is paid (README, "user object properties"). */
function rightsOf(user: User, trial: Millis | null, now: Millis): readonly SaidRight[] {
  const { paid, plan, subscriptionCancelAt, trialStartedAt } = user;
  const right = { stripe: null, isBeside: false };
  if (!paid) {
    if (trialStartedAt === null || trial === null) return [];
    return [{ ...right, about: 'trial', price: given('trial'), until: trialStartedAt + trial }];
  }
  if (plan === null) return [{ ...right, about: 'free', price: given('free'), until: null }];
  const price = priceOf(plan);
  if (plan.interval === 'once') return [{ ...right, about: 'paid once', price, until: null }];
  // Stripe has it under another mail address, or in another account: nobody is shut out until that is cleared up.
  const bridge = subscriptionCancelAt ?? now + LENGTH[plan.interval] * plan.count;
  return [{ ...right, about: 'subscription that is not found at Stripe', price, until: bridge }];
}

function priceOf({
  unitAmountCents,
  currency,
  nickname,
  interval,
  count,
}: NonNullable<User['plan']>): SourcePrice {
  const cost = { interval, count, currency, amount: unitAmountCents };
  return { names: [...(nickname === null ? [] : [nickname]), costName(cost)], ...cost };
}

/** What was given and not sold, with the name by which it can be mapped. */
function given(name: string): SourcePrice {
  return { names: [name], interval: GIVEN, count: 1, currency: null, amount: null };
}

/**
 * Everybody with a mail address in the owner's Stripe account, and those of the file: of one address one person. Who has
 * bought nothing there is found out later.
 *
 * @throws the SDK's error where Stripe cannot be asked
 */
export async function gatherExtensionPay(
  stripe: Stripe,
  listed: readonly Person[],
): Promise<readonly Person[]> {
  const byMail = new Map(listed.map((person) => [person.name, person]));
  const of = (mail: string): Person => byMail.get(mail) ?? { ...NOBODY, name: mail, mail };
  for await (const { id, email } of stripe.customers.list({ limit: 100 })) {
    const mail = email?.trim().toLowerCase() ?? '';
    if (mail === '') continue;
    const person = of(mail);
    byMail.set(mail, { ...person, customers: [...person.customers, id] });
  }
  for (const { mail, payment, price } of await listGuestPayments(stripe)) {
    const name = mail.trim().toLowerCase();
    const person = of(name);
    const right = { about: `paid once, ${payment}`, price, stripe: null, isBeside: true, until: null };
    byMail.set(name, { ...person, said: [...person.said, right] });
  }
  return [...byMail.values()];
}

import {
  type Answer,
  ask,
  askedCost,
  type CreditRequest,
  describeRequest,
  entryIdOf,
} from './ask-credits.ts';
import type { Arrival, EventArrival } from './delivery.ts';
import { MEASURED } from './features.ts';
import { endingFaults, finalTruth, loneFaults, stampsOf } from './final-truth.ts';
import { bookkeeping, faultsOf, rewritten } from './judge.ts';
import type { ModelStripe } from './model-stripe.ts';
import { documentsBefore, owedToLedger } from './play-import.ts';
import type { ProviderModel } from './provider-model.ts';
import { type RunCounts, WrongState } from './run-journey.ts';
import type { Service, State } from './service.ts';

const MOST_ROUNDS = 40;

/** Answers to requests that write nothing. */
const LEAVES_NOTHING: ReadonlySet<string> = new Set(['free', 'unknown', 'above_hold']);

/**
 * Sends one customer's arrivals in crowds: everything in a crowd is under way at once, so that handlers really
 * meet. The ledger must add up after every crowd, and once all has arrived the record must say what the
 * truth makes of it. Who met whom decides which lot a racing consume was drawn from, so with consumes the
 * credits are held within the bounds that no order can leave, without any to the exact number.
 *
 * @param sizes how many arrivals each crowd has, used in turn
 * @param lag what each arrival waits for before it is sent, so that the provider's present moves on among them
 */
export async function runCrowd(
  service: Service,
  stripe: ModelStripe,
  provider: ProviderModel,
  arrivals: readonly Arrival[],
  sizes: readonly number[],
  lag: () => Promise<void> = async () => {},
): Promise<RunCounts> {
  const { uid } = provider;
  const counts: RunCounts = { deliveries: 0, retries: 0, crashes: 0, requests: 0, gets: 0 };
  const answers = new Map<string, { readonly requests: CreditRequest[]; readonly all: Answer[] }>();
  const trail: string[] = [];
  const end = provider.changes.length - 1;
  let waiting = [...arrivals];
  await service.store(documentsBefore(provider));
  let before = await service.state(uid);
  let newest = 0;
  const tried = new Set<Arrival>();
  const asked = stripe.gets.length;

  for (let round = 0; waiting.length > 0; round += 1) {
    if (round > MOST_ROUNDS + arrivals.length) throw new WrongState('many rounds', ['it never ends'], trail);
    const size = Math.max(1, sizes[round % Math.max(1, sizes.length)] ?? 1);
    const crowd = waiting.slice(0, size);
    waiting = waiting.slice(size);
    const isLast = waiting.length === 0 && crowd.every((arrival) => tried.has(arrival));
    const sentBack = (await Promise.all(crowd.map((arrival) => handle(arrival, isLast)))).filter(
      (arrival) => arrival !== null,
    );
    for (const arrival of sentBack) tried.add(arrival);
    waiting.push(...sentBack);
    trail.push('--');
    const after = await service.state(uid);
    const owed = owedToLedger(provider.imported, after.ledger);
    const faults = [...bookkeeping(after, owed), ...rewritten(before.ledger, after.ledger)];
    if (faults.length > 0) throw new WrongState(`a crowd of ${crowd.length}`, faults, trail);
    before = after;
  }
  const faults = [...(await finalFaults(before)), ...requestFaults(before)];
  if (faults.length > 0) throw new WrongState('everything', faults, trail);
  counts.gets = stripe.gets.slice(asked).filter((id) => id.includes(`_${uid}_`)).length;
  return counts;

  /** The arrival when it must come again; null when it is done. */
  async function handle(arrival: Arrival, isLast: boolean): Promise<Arrival | null> {
    await lag();
    if (arrival.kind === 'tick') {
      if ('pass' in service && typeof service.pass === 'function') service.pass(arrival.ms);
      return null;
    }
    if (arrival.kind === 'ahead') return null;
    if (arrival.kind !== 'event') {
      await request(arrival);
      return null;
    }
    newest = isLast ? end : Math.max(newest, arrival.present);
    stripe.at(provider, newest);
    const outcome = await service.deliver(arrival.event);
    counts.deliveries += 1;
    trail.push(`${arrival.event.id} #${arrival.change.seq} ${arrival.event.type}: ${outcome}`);
    if (outcome !== 'retry' && outcome !== 'crashed') return null;
    counts.retries += 1;
    return arrival satisfies EventArrival;
  }

  async function request(arrival: CreditRequest): Promise<void> {
    counts.requests += 1;
    const answer = await ask(service, uid, arrival);
    trail.push(`${describeRequest(arrival)}: ${answer?.outcome}`);
    if (answer === null) return;
    const known = answers.get(entryIdOf(arrival)) ?? { requests: [], all: [] };
    known.requests.push(arrival);
    known.all.push(answer);
    answers.set(entryIdOf(arrival), known);
  }

  async function finalFaults(state: State): Promise<string[]> {
    const expected = finalTruth(provider, service.now(), stampsOf(arrivals));
    const isExact = counts.requests === 0;
    const found = { allowance: state.record?.creditsAllowance, packs: state.record?.packCreditsRemaining };
    const credits =
      expected.credits === null ? null : { allowance: found.allowance ?? -1, packs: found.packs ?? -1 };
    const owed = owedToLedger(provider.imported, state.ledger);
    const faults = faultsOf(state, isExact ? expected : { ...expected, credits }, owed);
    if (!isExact && expected.credits !== null) faults.push(...boundFaults(state, expected.credits));
    faults.push(...loneFaults(provider, state.record, await service.paidClaim(uid), service.now()));
    faults.push(...endingFaults(provider, stripe.ended));
    return faults;
  }

  /** No request is lost, none is paid twice, and everybody is told the one end of a reservation. */
  function requestFaults({ ledger }: State): string[] {
    const faults: string[] = [];
    for (const [id, { requests, all }] of answers) {
      const entry = ledger.get(id);
      const spent = entry === undefined ? 0 : -(entry.deltaAllowance + entry.deltaPack);
      const outcomes = new Set(
        all.map(({ outcome }) => outcome).filter((outcome) => !LEAVES_NOTHING.has(outcome)),
      );
      if (outcomes.size > 1) faults.push(`${id} is answered ${[...outcomes].join(' and ')}`);
      if (outcomes.size > 0 && entry === undefined) faults.push(`${id} left no ledger entry`);
      const [first] = requests;
      const due = first?.kind === 'consume' && outcomes.has('granted') ? first.cost : 0;
      const taken = outcomes.has('confirm') ? (entry?.cost ?? 0) - (entry?.shortfall ?? 0) : 0;
      if (spent !== due + taken) faults.push(`${id} cost ${spent}, not ${due + taken}`);
      if (!outcomes.has('confirm')) continue;
      const held = ledger.get(id.replace('settle', 'reserve'));
      if (held?.outcome !== 'granted') faults.push(`${id} confirms what was never held`);
      // A request whose answer was lost may have ended it, too.
      const asked = arrivals.flatMap((arrival) =>
        arrival.kind === 'settle' && entryIdOf(arrival) === id ? [askedCost(arrival) ?? held?.cost] : [],
      );
      if (!asked.includes(entry?.cost)) faults.push(`${id} is for ${entry?.cost}, which nobody asked for`);
      const most = (held?.cost ?? 0) + (id.includes(`-${MEASURED.name}-`) ? MEASURED.price.overdraw : 0);
      if ((entry?.cost ?? 0) > most) faults.push(`${id} is for ${entry?.cost}, more than ${most}`);
    }
    return faults;
  }
}

/** Whatever was drawn from where: nothing more than what is owned, and nothing less than what all spending leaves. */
function boundFaults(state: State, owned: { readonly allowance: number; readonly packs: number }): string[] {
  let spentOfAllowance = 0;
  let spentOfPacks = 0;
  for (const entry of state.ledger.values()) {
    if (entry.kind !== 'consume' && entry.kind !== 'confirm') continue;
    spentOfAllowance -= entry.deltaAllowance;
    spentOfPacks -= entry.deltaPack;
  }
  const { creditsAllowance = 0, packCreditsRemaining = 0 } = state.record ?? {};
  const faults: string[] = [];
  const check = (what: string, has: number, most: number, spent: number): void => {
    if (has > most) faults.push(`${what} ${has} are more than the ${most} that are owned`);
    if (has < Math.max(0, most - spent))
      faults.push(`${what} ${has} are less than ${most} less ${spent} spent`);
  };
  check('allowance credits', creditsAllowance, owned.allowance, spentOfAllowance);
  check('pack credits', packCreditsRemaining, owned.packs, spentOfPacks);
  return faults;
}

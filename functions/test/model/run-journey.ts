import type { Arrival } from './delivery.ts';
import { faultsOf, rewritten } from './judge.ts';
import type { ModelStripe } from './model-stripe.ts';
import { Oracle } from './oracle.ts';
import type { ProviderModel } from './provider-model.ts';
import type { Service, State } from './service.ts';

/** Where a run went wrong, and what was wrong there. */
export class WrongState extends Error {
  constructor(step: string, faults: readonly string[], trail: readonly string[]) {
    super(`after ${step}:\n  - ${faults.join('\n  - ')}\narrivals so far:\n  ${trail.join('\n  ')}`);
    this.name = 'WrongState';
  }
}

export interface RunCounts {
  deliveries: number;
  retries: number;
  consumes: number;
  gets: number;
}

type EventArrival = Extract<Arrival, { kind: 'event' }>;

/** A refused delivery comes again when some others were handled, later each time, as with the provider. */
const comesBackAfter = (tries: number): number => 1 + 3 * tries;
const MOST_TRIES = 12;

/**
 * Sends one customer's arrivals through the service, one at a time, and holds the stored state to the oracle
 * after every single step. Throws WrongState at the first step that ends wrong.
 */
export async function runJourney(
  service: Service,
  stripe: ModelStripe,
  provider: ProviderModel,
  arrivals: readonly Arrival[],
): Promise<RunCounts> {
  const oracle = new Oracle();
  const counts: RunCounts = { deliveries: 0, retries: 0, consumes: 0, gets: 0 };
  const queue: { readonly arrival: Arrival; readonly tries: number }[] = arrivals.map((arrival) => ({
    arrival,
    tries: 0,
  }));
  const seen = new Set<string>();
  const trail: string[] = [];
  let newest = 0;
  let before: State = { record: null, ledger: new Map() };

  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { arrival, tries } = next;
    const faults: string[] = [];
    if (arrival.kind === 'consume') {
      counts.consumes += 1;
      trail.push(`consume ${arrival.key} (${arrival.cost})`);
      faults.push(...(await consume(service, oracle, provider.uid, arrival)));
    } else {
      counts.deliveries += 1;
      const outcome = await deliver(arrival);
      trail.push(`${arrival.event.id} ${describe(arrival)}: ${outcome}`);
      faults.push(...wrongOutcome(arrival, outcome));
      if (outcome === 'retry') {
        counts.retries += 1;
        if (tries >= MOST_TRIES) faults.push(`refused ${tries} times`);
        queue.splice(comesBackAfter(tries), 0, { arrival: later(arrival, queue.length), tries: tries + 1 });
      } else if (outcome === 'applied') seen.add(arrival.event.id);
    }
    const after = await service.state(provider.uid);
    faults.push(...faultsOf(after, oracle.expected()), ...rewritten(before.ledger, after.ledger));
    if (faults.length > 0) throw new WrongState(trail.at(-1) ?? '', faults, trail);
    before = after;
  }
  const truth = { ...truthOf(provider), credits: oracle.expected().credits };
  const faults = faultsOf(before, truth);
  if (faults.length > 0) throw new WrongState('everything', faults, trail);
  return counts;

  async function deliver(arrival: EventArrival) {
    newest = Math.max(newest, arrival.present);
    stripe.at(provider, newest);
    const asked = stripe.gets.length;
    const outcome = await service.deliver(arrival.event);
    const gets = stripe.gets.slice(asked);
    counts.gets += gets.length;
    if (outcome !== 'applied') return outcome;
    oracle.tell(arrival.change.seq, arrival.change.telling, arrival.event.created);
    for (const id of gets) {
      const state = provider.subscriptionAt(id, newest);
      if (state !== undefined) oracle.answered(arrival.change.seq, state);
    }
    return outcome;
  }

  /** Time went on at the provider; once nothing else is on its way, its present is the end of the history. */
  function later(arrival: EventArrival, stillToCome: number): EventArrival {
    const end = provider.changes.length - 1;
    return { ...arrival, present: stillToCome === 0 ? end : newest };
  }

  function wrongOutcome({ change, event }: EventArrival, outcome: string): string[] {
    if (seen.has(event.id)) return outcome === 'duplicate' ? [] : [`a repeated event is ${outcome}`];
    if (outcome === 'duplicate') return ['a new event is taken for a duplicate'];
    const isNoise = change.telling.tells === 'nothing';
    if (outcome === 'ignored' && !isNoise && change.telling.tells !== 'customer')
      return ['the event is ignored'];
    return [];
  }
}

/** What the record must say once everything is known, from the provider's own order and nothing else. */
function truthOf(provider: ProviderModel) {
  const oracle = new Oracle();
  for (const { seq, telling, event } of provider.changes) oracle.tell(seq, telling, event.created);
  return oracle.expected();
}

async function consume(
  service: Service,
  oracle: Oracle,
  uid: string,
  { key, feature, cost }: Extract<Arrival, { kind: 'consume' }>,
): Promise<string[]> {
  const { credits } = oracle.expected();
  const expected = oracle.consume(key, cost);
  const answer = await service.consume(uid, key, feature, cost);
  const faults: string[] = [];
  if (answer.outcome !== expected.outcome)
    faults.push(`the consume is ${answer.outcome}, not ${expected.outcome}`);
  if (answer.replayed || credits === null) return faults;
  const balance = credits.allowance + credits.packs - expected.fromAllowance - expected.fromPacks;
  if (answer.balance !== balance) faults.push(`the consume answers ${answer.balance}, not ${balance}`);
  return faults;
}

function describe({ change, event }: EventArrival): string {
  const { telling } = change;
  const what =
    telling.tells === 'subscription' ? `${telling.state.status}/${telling.state.cancel}` : telling.tells;
  return `#${change.seq} ${event.type} ${what} created ${event.created}`;
}

import { REFUSAL_LASTS } from '../../src/store/documents.ts';
import { ask, type CreditRequest, describeRequest, entryIdOf, expectedOf } from './ask-credits.ts';
import type { AheadArrival, TickArrival } from './credit-arrivals.ts';
import type { Arrival, EventArrival } from './delivery.ts';
import { closedTruth, endingFaults, finalTruth, loneFaults, stampsOf } from './final-truth.ts';
import { bookkeeping, faultsOf, holdFaults, rewritten } from './judge.ts';
import type { ModelStripe } from './model-stripe.ts';
import { Oracle } from './oracle.ts';
import { documentsBefore, owedToLedger } from './play-import.ts';
import type { ProviderModel } from './provider-model.ts';
import type { Delivered, MortalService, Service } from './service.ts';
import type { Telling } from './truth.ts';

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
  crashes: number;
  /** Consumes, reserves, confirms and releases. */
  requests: number;
  gets: number;
}

/** A refused delivery comes again when some others were handled, later each time, as with the provider. */
const comesBackAfter = (tries: number): number => 1 + 3 * tries;
const MOST_TRIES = 12;

/**
 * Sends one customer's arrivals through the service, one at a time, and holds the stored state to the oracle
 * after every single step. Throws WrongState at the first step that ends wrong.
 *
 * @param look days after the last change at which the account is looked at again; null for never
 */
export async function runJourney(
  service: Service | MortalService,
  stripe: ModelStripe,
  provider: ProviderModel,
  arrivals: readonly Arrival[],
  look: number | null = null,
): Promise<RunCounts> {
  const { uid } = provider;
  const oracle = new Oracle(provider.imported);
  const counts: RunCounts = { deliveries: 0, retries: 0, crashes: 0, requests: 0, gets: 0 };
  const queue = arrivals.map((arrival) => ({ arrival, tries: 0 }));
  const processed = new Set<string>();
  const trail: string[] = [];
  let newest = 0;
  await service.store(documentsBefore(provider));
  let before = await service.state(uid);

  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { arrival, tries } = next;
    if (arrival.kind === 'tick') {
      const faults = await pass(arrival.ms);
      if (faults.length > 0) throw new WrongState(trail.at(-1) ?? '', faults, trail);
      continue;
    }
    if (arrival.kind === 'ahead') {
      await runAhead(arrival.ms);
      continue;
    }
    if ('crashAt' in service) service.crashAt(arrival.crash ?? null);
    const { isDone, faults } = await handle(arrival);
    if (!isDone) {
      if (tries >= MOST_TRIES) faults.push(`not done after ${tries} tries`);
      const { crash: _, ...again } = arrival;
      queue.splice(comesBackAfter(tries), 0, { arrival: later(again), tries: tries + 1 });
    }
    const after = await service.state(uid);
    const owed = owedToLedger(provider.imported, after.ledger);
    faults.push(
      ...faultsOf(after, oracle.expected(service.now()), owed),
      ...rewritten(before.ledger, after.ledger),
    );
    const now = service.now();
    faults.push(...holdFaults(after, oracle.holdsAt(now), oracle.holdClockAt(now)));
    if (faults.length > 0) throw new WrongState(trail.at(-1) ?? '', faults, trail);
    before = after;
  }
  const faults = await finalFaults();
  if (faults.length === 0 && look !== null && processed.size > 0) faults.push(...(await lookFaults(look)));
  if (faults.length > 0) throw new WrongState('everything', faults, trail);
  return counts;

  function handle(arrival: Exclude<Arrival, TickArrival | AheadArrival>) {
    if (arrival.kind === 'event') return deliver(arrival);
    return request(arrival);
  }

  async function deliver(arrival: EventArrival & Arrival) {
    const { change, event } = arrival;
    newest = Math.max(newest, arrival.present);
    stripe.at(provider, newest);
    const asked = stripe.gets.length;
    const outcome = await service.deliver(event);
    const gets = stripe.gets.slice(asked).filter((id) => id.includes(`_${uid}_`));
    counts.deliveries += 1;
    counts.gets += gets.length;
    if (outcome === 'retry') counts.retries += 1;
    if (outcome === 'crashed') counts.crashes += 1;
    trail.push(`${event.id} ${describe(arrival)}: ${outcome}`);

    const faults = wrongOutcome(arrival, outcome);
    const isMarked = await service.isMarked(event.id);
    if (isMarked && !processed.has(event.id)) {
      if (outcome !== 'applied' && outcome !== 'crashed') faults.push(`it is ${outcome} and marked`);
      processed.add(event.id);
      const telling = asDone(change.telling, event.id);
      const act = 'actOf' in service ? service.actOf(event.id) : null;
      oracle.tell(change.seq, telling, act === null ? event.created : act.at / 1000);
      if (telling.tells === 'schedule') {
        oracle.planned(provider.subscriptionAt(telling.state.id, newest) ?? telling.state);
      }
      for (const id of gets) {
        const state = provider.subscriptionAt(id, newest);
        if (state !== undefined) oracle.answered(change.seq, state);
      }
    }
    return { isDone: outcome !== 'retry' && outcome !== 'crashed', faults };
  }

  /** An act by hand under the name that the service gave its grant: of two of one instant, it says which comes first. */
  function asDone(telling: Telling, eventId: string): Telling {
    const act = 'actOf' in service ? service.actOf(eventId) : null;
    const isAct = telling.tells === 'hand_granted' || telling.tells === 'hand_revoked';
    return isAct && act !== null ? { ...telling, id: act.grant } : telling;
  }

  function wrongOutcome({ change, event }: EventArrival, outcome: Delivered): string[] {
    if (outcome === 'crashed') return [];
    if (processed.has(event.id)) return outcome === 'duplicate' ? [] : [`a repeated event is ${outcome}`];
    if (outcome === 'duplicate') return ['a new event is taken for a duplicate'];
    const { tells } = change.telling;
    if (outcome === 'ignored' && tells !== 'nothing' && tells !== 'customer') return ['the event is ignored'];
    return [];
  }

  async function pass(ms: number): Promise<string[]> {
    if (!('pass' in service)) throw new Error('time passes by itself at this service');
    service.pass(ms);
    trail.push(`${ms} ms pass`);
    if (ms <= REFUSAL_LASTS) return [];
    service.removeExpired();
    oracle.forgetRefusals();
    const { ledger } = before;
    before = await service.state(uid);
    const gone = [...ledger].filter(([id]) => !before.ledger.has(id));
    return [
      ...gone
        .filter(([, { outcome }]) => outcome !== 'exhausted')
        .map(([id]) => `ledger entry ${id} is gone`),
      ...bookkeeping(before, owedToLedger(provider.imported, before.ledger)),
    ];
  }

  async function runAhead(ms: number): Promise<void> {
    if (!('runAhead' in service)) throw new Error('no instance of this service is ahead');
    service.crashAt(null);
    const at = await service.runAhead(uid, ms);
    trail.push(at === null ? 'no record yet' : `an instance that is ${ms} ms ahead writes`);
    if (at !== null) oracle.ranAhead(at);
  }

  async function request(arrival: CreditRequest & Arrival) {
    const isShaken = arrival.crash !== undefined;
    counts.requests += 1;
    const wasRecorded = before.ledger.has(entryIdOf(arrival));
    const answer = await ask(service, uid, arrival);
    trail.push(`${describeRequest(arrival)}: ${answer === null ? 'no answer' : answer.outcome}`);
    if (answer === null) {
      counts.crashes += 1;
      // Whatever it did stands in the ledger, or it did nothing.
      const { ledger } = await service.state(uid);
      if (ledger.has(entryIdOf(arrival))) expectedOf(oracle, arrival, service.now());
      return { isDone: false, faults: [] };
    }
    const expected = expectedOf(oracle, arrival, service.now());
    const faults: string[] = [];
    if (answer.outcome !== expected) faults.push(`it is ${answer.outcome}, not ${expected}`);
    // Where Firestore lost an answer, the service may find what it wrote itself and call that a replay.
    // Whoever may not know of a reservation is told of none, whatever is recorded.
    const isTold = answer.outcome !== 'unknown';
    if (isTold && wasRecorded !== answer.replayed && !isShaken)
      faults.push(`it is ${answer.replayed ? '' : 'not '}replayed`);
    const balance = oracle.spendableAt(service.now());
    if (!answer.replayed && answer.balance !== null && answer.balance !== balance)
      faults.push(`it answers ${answer.balance}, not ${balance}`);
    return { isDone: true, faults };
  }

  /** Time went on at the provider; once nothing else is on its way, its present is the end of the history. */
  function later(arrival: Arrival): Arrival {
    if (arrival.kind !== 'event') return arrival;
    return { ...arrival, present: queue.length === 0 ? provider.changes.length - 1 : newest };
  }

  /** Nothing was heard since: what the clock alone has ended is over, and nothing else. */
  async function lookFaults(days: number): Promise<string[]> {
    if (!('look' in service)) return [];
    const at = Math.floor(provider.now / 1000) * 1000 + days * 86_400_000 + 500;
    pass(at - service.now());
    service.crashAt(null);
    await service.look(uid);
    before = await service.state(uid);
    const faults = await finalFaults();
    return faults.length > 0 ? faults : closedFaults();
  }

  /** The account is deleted: only subscriptions count, and no purchase comes back when it is told again. */
  async function closedFaults(): Promise<string[]> {
    if (!('close' in service) || before.record === null) return [];
    const now = service.now();
    const had = oracle.expected(now).credits;
    await service.close(uid);
    for (const { telling, event } of provider.changes)
      if (telling.tells === 'paid') await service.deliver({ ...event, id: `${event.id}_again` });
    const { credits, ...rights } = closedTruth(provider, now);
    const allowance = credits === null || credits.allowance === 0 ? 0 : (had?.allowance ?? 0);
    const expected = { ...rights, credits: had && { allowance, packs: 0 } };
    return faultsOf(await service.state(uid), expected).map((fault) => `deleted, ${fault}`);
  }

  async function finalFaults(): Promise<string[]> {
    const now = service.now();
    const expected = {
      ...finalTruth(provider, now, stampsOf(arrivals)),
      credits: oracle.expected(now).credits,
    };
    const claim = await service.paidClaim(uid);
    const owed = owedToLedger(provider.imported, before.ledger);
    return [
      ...faultsOf(before, expected, owed),
      ...loneFaults(provider, before.record, claim, now),
      ...endingFaults(provider, stripe.ended),
    ];
  }
}

function describe({ change, event }: EventArrival): string {
  const { telling } = change;
  const what =
    telling.tells === 'subscription' ? `${telling.state.status}/${telling.state.cancel}` : telling.tells;
  return `#${change.seq} ${event.type} ${what} created ${event.created}`;
}

// node tools/check-traffic.ts FOLDER: holds what passed between the tests and the simulator to Stripe's document:
// answers and events to the schemas generated from it, requests to stripe-mock where that is there. `npm test` runs
// it last, on the traffic of all its tests.
import { findStripeMock, WAYS_TO_STRIPE_MOCK } from './set-up/find-stripe-mock.mjs';
import { thisMachine } from './set-up/machine.mjs';
import { holdLine, NOTHING_HELD, readTraffic } from './traffic/hold-answers.ts';
import { Requests, replay } from './traffic/replay-requests.ts';
import { startStripeMock } from './traffic/stripe-mock.ts';

const SHOWN = 20;

function show(lines: readonly string[]): void {
  for (const line of lines.slice(0, SHOWN)) console.error(`  ${line}`);
  if (lines.length > SHOWN) console.error(`  … and ${lines.length - SHOWN} more`);
}

async function replayAll(requests: Requests): Promise<boolean> {
  const program = findStripeMock(thisMachine(process.env));
  if (program === undefined) {
    console.log(`NOT RUN: requests through stripe-mock, which is not here.\n${WAYS_TO_STRIPE_MOCK}`);
    return true;
  }
  const mock = await startStripeMock(program);
  try {
    const { allowed, refused } = await replay(requests.distinct.values(), mock);
    console.log(
      `${requests.taken} requests, ${requests.distinct.size} shapes of them through stripe-mock, ${refused.length} refused` +
        ` (not sent: ${requests.refusedByBoth} that the simulator refuses too, ${requests.undocumented} of Stripe's CLI that the document leaves out)`,
    );
    for (const [{ operation, parameter, reason }, times] of allowed) {
      console.log(`allowed, ${times} times: ${operation.source} ${parameter.source} – ${reason}`);
    }
    show(refused);
    return refused.length === 0;
  } finally {
    await mock.end();
  }
}

async function main(folder: string | undefined): Promise<number> {
  if (folder === undefined || folder === '') {
    console.error('Name the folder of the traffic, or run it after other tests: npm test');
    return 2;
  }
  const held = NOTHING_HELD();
  const requests = new Requests();
  for await (const [sentBy, line] of readTraffic(folder)) {
    holdLine(held, line);
    if ('exchange' in line) requests.add(sentBy, line.exchange);
  }
  const { responses, events, refused } = held;
  if (responses === 0) {
    console.error(`There is no traffic in ${folder}: run this after tests that talk to the simulator.`);
    return 1;
  }
  console.log(`${responses} responses, ${events} events validated, ${refused.size} refused`);
  show([...refused].map(([line, times]) => `${times} times ${line}`));
  const holds = await replayAll(requests);
  return refused.size === 0 && holds ? 0 : 1;
}

process.exitCode = await main(process.argv[2] ?? process.env.PROVIDER_TRAFFIC);

#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { createSimulator } from './server.ts';
import { readCatalog } from './state/catalog.ts';

const USAGE = `Usage: node packages/simulator/src/main.ts [--port 4242] [--catalog FILE] [--webhook-secret whsec_…]
                                  [--state FILE] [--records-url URL] [--traffic FILE] [--rate-limit 25]
                                  [--merchant NAME] [--without-portal]

  --port            port on 127.0.0.1 (default: BILLING_SIMULATOR_PORT, else 4242)
  --catalog         what a new account sells: JSON, or a module that exports it (default: nothing)
  --webhook-secret  signing secret of every webhook endpoint that is created (default: a fresh one each)
  --state           file to take the state from and keep it in (default: it is forgotten at the end)
  --records-url     where the page asks for the service's record of each customer (default: it shows none)
  --traffic         file to append every call, its answer and every event to, one JSON text a line
  --rate-limit      calls a second before 429; Stripe's sandbox has 25 (default: no limit)
  --merchant        the business's name on the pages (default: BILLING_SIMULATOR_MERCHANT, else Simulator)
  --without-portal  the portal's settings were never saved: its sessions need a configuration`;

function fail(message: string): never {
  console.error(`${message}\n\n${USAGE}`);
  process.exit(2);
}

function parse() {
  try {
    return parseArgs({
      options: {
        port: { type: 'string', default: process.env.BILLING_SIMULATOR_PORT ?? '4242' },
        catalog: { type: 'string' },
        'webhook-secret': { type: 'string' },
        state: { type: 'string' },
        'records-url': { type: 'string' },
        traffic: { type: 'string' },
        'rate-limit': { type: 'string' },
        'without-portal': { type: 'boolean', default: false },
        merchant: { type: 'string', default: process.env.BILLING_SIMULATOR_MERCHANT ?? 'Simulator' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

const values = parse();
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const port = Number(values.port);
if (!Number.isInteger(port) || port < 0 || port > 65_535)
  fail(`--port takes a port number, not "${values.port}".`);
const secret = values['webhook-secret'];
const rateLimit = values['rate-limit'] === undefined ? undefined : Number(values['rate-limit']);
if (rateLimit !== undefined && !(rateLimit >= 1))
  fail(`--rate-limit takes a number of calls a second, not "${values['rate-limit']}".`);
const recordsUrl = values['records-url'];
if (recordsUrl !== undefined && !URL.canParse(recordsUrl))
  fail(`--records-url takes an address, not "${recordsUrl}".`);

try {
  const simulator = await createSimulator({
    port,
    merchant: values.merchant,
    hasPortal: !values['without-portal'],
    ...(values.catalog === undefined ? {} : { catalog: await readCatalog(values.catalog) }),
    ...(secret === undefined ? {} : { webhookSecret: secret }),
    ...(values.state === undefined ? {} : { stateFile: values.state }),
    ...(recordsUrl === undefined ? {} : { recordsUrl }),
    ...(rateLimit === undefined ? {} : { rateLimit }),
    ...(values.traffic === undefined ? {} : { trafficFile: values.traffic }),
  });
  console.log(`Simulator listening on ${simulator.url} (its own page: ${simulator.url}/_sim)`);
  const stop = (): void => {
    void simulator.close().then(() => process.exit(0));
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
} catch (error) {
  const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  const message = error instanceof Error ? error.message : String(error);
  console.error(taken ? `Port ${port} is taken. Choose another with --port.` : message);
  process.exit(1);
}

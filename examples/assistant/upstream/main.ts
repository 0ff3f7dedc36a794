// node upstream/main.ts: the stand-in on a port, for working without an account at a model's provider.
import { parseArgs } from 'node:util';
import { echo } from './echo.ts';
import type { Fault } from './scene.ts';
import { startUpstream } from './serve.ts';

const USAGE = `usage: node upstream/main.ts [--port 4300] [--every 40] [--fault <kind>[:<number>]]
  Streams in the formats of OpenAI, Anthropic and Gemini. --every: milliseconds between events.
  Faults: status:429 and status:500 refuse, cut:3, error:3 and stall:3 do it after three events.
`;

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4300' },
    every: { type: 'string', default: '40' },
    fault: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(USAGE);
} else {
  const fault = values.fault === undefined ? {} : { fault: faultOf(values.fault) };
  const everyMs = Number(values.every);
  const { url } = await startUpstream(
    ({ body }) => ({ ...echo(body), everyMs, ...fault }),
    Number(values.port),
  );
  console.log(`The stand-in upstream listens at ${url}. Ctrl+C ends it.`);
}

function faultOf(said: string): Fault {
  const [kind = '', count = '0'] = said.split(':');
  const number = Number(count);
  if (kind === 'status') return { kind, status: number };
  if (kind === 'cut' || kind === 'error' || kind === 'stall') return { kind, after: number };
  throw new Error(`"${said}" is no fault.\n${USAGE}`);
}

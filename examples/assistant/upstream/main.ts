// node upstream/main.ts: the stand-in on a port, for working without an account at a model's provider.
import { parseArgs } from 'node:util';
import type { Fault, Scene } from './scene.ts';
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

/** Says what it was asked, about a token a piece, and counts as a model might. */
function echo(body: Readonly<Record<string, unknown>>): Scene {
  const asked = JSON.stringify(body.messages ?? body.contents ?? '');
  const words = `You sent ${asked.length} characters, and no model has read them: this is the stand-in upstream. `;
  const text = words.repeat(3).match(/\S+\s*/g) ?? [];
  const input = Math.ceil(asked.length / 4);
  return { text, usage: { input, cached: 0, output: text.length, reasoning: 0 } };
}

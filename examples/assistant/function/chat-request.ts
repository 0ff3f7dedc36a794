import * as v from 'valibot';
import type { Message } from './cost.ts';
import { badRequest, type Problem } from './problems.ts';

const TextPart = v.strictObject({ type: v.literal('text'), text: v.string() });
const Content = v.union(
  [v.string(), v.array(TextPart)],
  'must be text: images, audio and files are not supported',
);
const ChatMessage = v.strictObject({
  role: v.picklist(
    ['system', 'developer', 'user', 'assistant'],
    'must be system, developer, user or assistant',
  ),
  content: Content,
});
const Tokens = v.pipe(v.number(), v.integer(), v.minValue(1));
const Stop = v.pipe(v.array(v.pipe(v.string(), v.minLength(1))), v.maxLength(4));

/** Rejects unknown fields instead of ignoring them: a caller may rely on one, and one may cost something. */
const Body = v.strictObject({
  model: v.string(),
  messages: v.pipe(v.array(ChatMessage), v.minLength(1)),
  stream: v.nullish(v.boolean()),
  stream_options: v.nullish(v.strictObject({ include_usage: v.nullish(v.boolean()) })),
  max_tokens: v.nullish(Tokens),
  max_completion_tokens: v.nullish(Tokens),
  temperature: v.nullish(v.pipe(v.number(), v.minValue(0), v.maxValue(2))),
  top_p: v.nullish(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
  stop: v.nullish(v.union([v.string(), Stop])),
  n: v.nullish(v.literal(1, 'can only be 1')),
});

/** As much of OpenAI's POST /v1/chat/completions as this server supports. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly isStreamed: boolean;
  readonly asksForUsage: boolean;
  /** Most tokens that the caller wants; the server has its own limit. */
  readonly maxOutput: number | null;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly stop?: readonly string[] | undefined;
}

/** Returns the request, or what is wrong with its body. */
export function parseChatRequest(body: string): ChatRequest | Problem {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return badRequest(null, 'The body is not JSON.');
  }
  const { success, output, issues } = v.safeParse(Body, json);
  if (!success) return problemOf(issues[0]);
  const { messages, stream_options: options, max_tokens, max_completion_tokens, stop } = output;
  return {
    model: output.model,
    messages: messages.map(({ role, content }) => ({
      role: role === 'developer' ? 'system' : role,
      text: typeof content === 'string' ? content : content.map(({ text }) => text).join(''),
    })),
    isStreamed: output.stream === true,
    asksForUsage: options?.include_usage === true,
    maxOutput: max_completion_tokens ?? max_tokens ?? null,
    temperature: output.temperature ?? undefined,
    topP: output.top_p ?? undefined,
    stop: typeof stop === 'string' ? [stop] : (stop ?? undefined),
  };
}

function problemOf(issue: v.BaseIssue<unknown>): Problem {
  const param = v.getDotPath(issue);
  if (param === null) return badRequest(null, 'The body must be an object, as for a chat completion.');
  if (issue.type === 'strict_object' && issue.expected === 'never') {
    return badRequest(param, `"${param}" is not supported here, or is set by the server.`);
  }
  const what = issue.received === 'undefined' ? 'is missing' : issue.message;
  return badRequest(param, `"${param}" ${what}.`);
}

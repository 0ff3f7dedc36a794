import * as v from 'valibot';
import type { Message } from './usage.ts';

const TextPart = v.strictObject({ type: v.literal('text'), text: v.string() });
const Content = v.union(
  [v.string(), v.array(TextPart)],
  'has to be a text: pictures, sound and files are not taken',
);
const ChatMessage = v.strictObject({
  role: v.picklist(
    ['system', 'developer', 'user', 'assistant'],
    'has to be system, developer, user or assistant',
  ),
  content: Content,
});
const Tokens = v.pipe(v.number(), v.integer(), v.minValue(1));
const Stop = v.pipe(v.array(v.pipe(v.string(), v.minLength(1))), v.maxLength(4));

/**
 * What of POST /v1/chat/completions is taken. Whatever else there is, is refused by its name instead of being ignored:
 * a caller who counts on it should know, and nothing unknown can cost anything.
 */
const ChatRequest = v.strictObject({
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

export interface ChatCall {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly isStreamed: boolean;
  readonly asksForUsage: boolean;
  /** The most tokens that the caller wants back; the server has a limit of its own. */
  readonly maxOutput: number | null;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly stop?: readonly string[] | undefined;
}

/** A request that is not taken: what is wrong with it, and where. */
export interface BadRequest {
  readonly param: string | null;
  readonly message: string;
}

/** @returns the call, or what is wrong with its body */
export function parseChatRequest(body: string): ChatCall | BadRequest {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return { param: null, message: 'The body is no JSON.' };
  }
  const { success, output, issues } = v.safeParse(ChatRequest, json);
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

function problemOf(issue: v.BaseIssue<unknown>): BadRequest {
  const param = v.getDotPath(issue);
  if (issue.type === 'strict_object' && issue.expected === 'never') {
    return { param, message: `"${param}" is not taken here: the server fixes it, or does not have it.` };
  }
  if (param === null) return { param, message: 'The body has to be an object as of a chat completion.' };
  const what = issue.received === 'undefined' ? 'is missing' : issue.message;
  return { param, message: `"${param}" ${what}.` };
}

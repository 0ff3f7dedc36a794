import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseChatRequest } from '../gateway/chat-request.ts';
import { type Assistant, answerCall } from './call.ts';
import { bearerOf, bodyOf, type Caller, callerOf } from './caller.ts';
import { badRequest, PROBLEMS } from './errors.ts';

export type Handler = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/**
 * The function: OpenAI's chat completions for the users of one extension, each paid with the user's credits. The API key
 * is the user's Firebase ID token.
 */
export function createHandler(assistant: Assistant): Handler {
  return async (req, res) => {
    const caller = callerOf(res);
    try {
      const [path] = (req.url ?? '').split('?');
      if (req.method === 'GET' && path === '/v1/models') caller.send(200, modelList(assistant));
      else if (req.method === 'POST' && path === '/v1/chat/completions') await chat(assistant, req, caller);
      else caller.refuse(PROBLEMS.notFound);
    } catch (error) {
      const why = error instanceof Error ? error.name : 'unknown';
      assistant.log({ event: 'model_call', outcome: 'unavailable', why });
      if (!caller.hasBegun()) caller.refuse(PROBLEMS.billingUnavailable);
      else res.destroy();
    }
  };
}

async function chat(assistant: Assistant, req: IncomingMessage, caller: Caller): Promise<void> {
  const token = bearerOf(req);
  // The body comes in while the token is checked.
  const [user, body] = await Promise.all([
    token === null ? null : assistant.charging.verifyUser(token),
    bodyOf(req),
  ]);
  if (user === null) caller.refuse(PROBLEMS.unauthenticated);
  else if (typeof body !== 'string') caller.refuse(body);
  else {
    const call = parseChatRequest(body);
    if ('message' in call) caller.refuse(badRequest(call));
    else await answerCall(assistant, user, call, caller);
  }
}

/** OpenAI's list, and beside each model what a page needs to say beforehand what a call can cost. */
function modelList({ models, priceOf }: Assistant): object {
  const data = Object.entries(models).map(([id, { feature, maxOutput }]) => {
    const { hold, rates } = priceOf(feature);
    return { id, object: 'model', created: 0, owned_by: 'assistant', billing: { maxOutput, hold, rates } };
  });
  return { object: 'list', data };
}

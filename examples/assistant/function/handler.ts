import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Assistant, answerCall } from './call.ts';
import { parseChatRequest } from './chat-request.ts';
import { PROBLEMS, type Problem } from './problems.ts';
import { refuse, sendJson } from './reply.ts';

export type Handler = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

const MAX_BODY = 256 * 1024;

/** OpenAI's chat completions for the extension's users. The API key is the user's Firebase ID token. */
export function createHandler(assistant: Assistant): Handler {
  return async (req, res) => {
    try {
      const [path] = (req.url ?? '').split('?');
      if (req.method === 'GET' && path === '/v1/models') sendJson(res, 200, modelList(assistant));
      else if (req.method === 'POST' && path === '/v1/chat/completions') await chat(assistant, req, res);
      else refuse(res, PROBLEMS.notFound);
    } catch (error) {
      const why = error instanceof Error ? error.name : 'unknown';
      assistant.log({ event: 'model_call', outcome: 'unavailable', why });
      if (res.headersSent) res.destroy();
      else refuse(res, PROBLEMS.billingUnavailable);
    }
  };
}

async function chat(assistant: Assistant, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const token = /^Bearer +([\w.~+/=-]{1,8192})$/i.exec(req.headers.authorization ?? '')?.[1];
  const [uid, body] = await Promise.all([
    token === undefined ? null : assistant.billing.verifyUser(token),
    bodyOf(req),
  ]);
  if (uid === null) return refuse(res, PROBLEMS.unauthenticated);
  const request = typeof body === 'string' ? parseChatRequest(body) : body;
  if ('status' in request) refuse(res, request);
  else await answerCall(assistant, uid, request, res);
}

/** Reads a body. Firebase has read it already, into `rawBody`. */
async function bodyOf(req: IncomingMessage & { readonly rawBody?: Buffer }): Promise<string | Problem> {
  if (req.rawBody !== undefined) {
    return req.rawBody.length > MAX_BODY ? PROBLEMS.tooLarge : req.rawBody.toString();
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) return PROBLEMS.tooLarge;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** OpenAI's list, with what a page needs to estimate a call's cost. */
function modelList({ models, priceOf }: Assistant): object {
  const data = Object.entries(models).map(([id, { feature, maxOutput }]) => {
    const { hold, rates } = priceOf(feature);
    return { id, object: 'model', created: 0, owned_by: 'assistant', billing: { maxOutput, hold, rates } };
  });
  return { object: 'list', data };
}

import { NoFields } from '@extension-billing/contract/api';
import type { Request, RequestHandler } from 'express';
import * as v from 'valibot';
import { InvalidRequest } from './answer.ts';

// Bodies: their bytes within bounds, their JSON, and the fields that a route takes.

/** The body is longer than the route takes: the error handler answers 413. */
export class PayloadTooLarge extends Error {
  constructor(limit: number) {
    super(`The body is longer than ${limit} bytes.`);
    this.name = 'PayloadTooLarge';
  }
}

/** The body did not come to its end in time: the error handler answers 408. */
export class BodyTooSlow extends Error {
  constructor(withinMs: number) {
    super(
      `The body did not arrive within ${withinMs / 1000} s: send the request again, over a better connection.`,
    );
    this.name = 'BodyTooSlow';
  }
}

/** Up to how long a body may be, in bytes, and how long it may take to arrive, in milliseconds. */
interface BodyBounds {
  readonly limit: number;
  readonly withinMs: number;
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/** Puts the body's bytes, exactly as sent, on `req.body`. */
export function rawBody(bounds: BodyBounds): RequestHandler {
  return async (req, _res, next) => {
    refuseEncoding(req.headers['content-encoding']);
    req.body = await readBytes(req, bounds);
    next();
  };
}

/** Puts the parsed JSON body on `req.body`; an empty body is an empty object. */
export function jsonBody(bounds: BodyBounds): RequestHandler {
  return async (req, _res, next) => {
    refuseEncoding(req.headers['content-encoding']);
    const bytes = await readBytes(req, bounds);
    if (bytes.length > 0) refuseOtherThanJson(req.headers['content-type']);
    req.body = bytes.length > 0 ? parseJson(bytes) : {};
    next();
  };
}

/**
 * A request holds one of the instance's places from its first byte on, so a body that trickles in is cut off: the
 * caller may go on sending, but nobody listens.
 */
async function readBytes(req: Request, { limit, withinMs }: BodyBounds): Promise<Buffer> {
  const whole = collect(req, limit);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new BodyTooSlow(withinMs)), withinMs);
  });
  try {
    return await Promise.race([whole, late]);
  } finally {
    clearTimeout(timer);
    // It ends with the connection, and nobody waits for it any more.
    whole.catch(() => {});
  }
}

async function collect(req: Request, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Leaving the loop must not destroy the request: the answer goes over the same connection.
  for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > limit) throw new PayloadTooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(UTF_8.decode(bytes));
  } catch {
    throw new InvalidRequest('The body is not valid JSON in UTF-8.');
  }
}

function refuseOtherThanJson(contentType: string | undefined): void {
  const [type, ...parameters] = (contentType ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  if (type !== 'application/json') {
    throw new InvalidRequest('Content-Type must be application/json.');
  }
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) {
    throw new InvalidRequest('Content-Type: the charset must be utf-8.');
  }
}

function refuseEncoding(encoding: string | undefined): void {
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    throw new InvalidRequest('Content-Encoding: send the body uncompressed.');
  }
}

/**
 * The body as a route takes it. A missing, wrong or unknown field is an InvalidRequest that names it; values
 * are never repeated.
 */
export function parseBody<Schema extends v.GenericSchema>(
  schema: Schema,
  body: unknown,
): v.InferOutput<Schema> {
  // An array is an object to valibot, and one without fields where all are optional.
  if (Array.isArray(body)) throw new InvalidRequest(NO_OBJECT);
  const result = v.safeParse(schema, body);
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new InvalidRequest(explain(issue));
}

/** The query of a route, in the same way: each of its fields at most once. */
export function parseQuery<Schema extends v.GenericSchema>(
  schema: Schema,
  query: object,
): v.InferOutput<Schema> {
  return parseBody(schema, { ...query });
}

/** For a route that takes no fields: `{}` or no body at all. */
export function parseNoFields(body: unknown): void {
  parseBody(NoFields, body);
}

const NO_OBJECT = 'The body must be a JSON object.';

function explain(issue: v.BaseIssue<unknown>): string {
  const field = v.getDotPath(issue);
  if (field === null) return NO_OBJECT;
  const name = field.slice(0, 64);
  if (issue.type === 'strict_object' && issue.expected === 'never') {
    return `${name}: this field is not taken here; leave it out.`;
  }
  if (issue.type === 'strict_object') return `${name}: this field is missing.`;
  return `${name}: must be ${issue.expected ?? 'another value'}.`;
}

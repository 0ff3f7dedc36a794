import type { Request, RequestHandler } from 'express';
import { InvalidRequest } from './answer.ts';

/** The body is longer than the route takes: the error mapper answers 413. */
export class PayloadTooLarge extends Error {
  constructor(limit: number) {
    super(`The body is longer than ${limit} bytes.`);
    this.name = 'PayloadTooLarge';
  }
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/** Puts the body's bytes, exactly as sent, on `req.body`. */
export function rawBody(limit: number): RequestHandler {
  return async (req, _res, next) => {
    refuseEncoding(req.headers['content-encoding']);
    req.body = await readBytes(req, limit);
    next();
  };
}

/** Puts the parsed JSON body on `req.body`; an empty body is an empty object. */
export function jsonBody(limit: number): RequestHandler {
  return async (req, _res, next) => {
    refuseEncoding(req.headers['content-encoding']);
    const bytes = await readBytes(req, limit);
    if (bytes.length > 0) refuseOtherThanJson(req.headers['content-type']);
    req.body = bytes.length > 0 ? parseJson(bytes) : {};
    next();
  };
}

async function readBytes(req: Request, limit: number): Promise<Buffer> {
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

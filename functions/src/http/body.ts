import type { RequestHandler } from 'express';
import { InvalidRequest } from './answer.ts';
import { sentHeader } from './keep-body-raw.ts';

/** The body is longer than the route takes: the error mapper answers 413. */
export class PayloadTooLarge extends Error {
  constructor(limit: number) {
    super(`The body is longer than ${limit} bytes.`);
    this.name = 'PayloadTooLarge';
  }
}

interface RequestWithBody extends AsyncIterable<Buffer> {
  /** Set by the functions framework and the emulator, which read the body before the app sees the request. */
  readonly rawBody?: Buffer;
}

/** Puts the body's bytes, exactly as sent, on `req.body`. */
export function rawBody(limit: number): RequestHandler {
  return async (req, _res, next) => {
    refuseEncoding(sentHeader(req, 'content-encoding'));
    req.body = await readBytes(req, limit);
    next();
  };
}

/** Puts the parsed JSON body on `req.body`; an empty body is an empty object. */
export function jsonBody(limit: number): RequestHandler {
  return async (req, _res, next) => {
    refuseEncoding(sentHeader(req, 'content-encoding'));
    const bytes = await readBytes(req, limit);
    if (bytes.length > 0) refuseOtherThanJson(sentHeader(req, 'content-type'));
    req.body = bytes.length > 0 ? parseJson(bytes) : {};
    next();
  };
}

async function readBytes(req: RequestWithBody, limit: number): Promise<Buffer> {
  if (req.rawBody !== undefined) {
    if (req.rawBody.length > limit) throw new PayloadTooLarge(limit);
    return req.rawBody;
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of req) {
    length += chunk.length;
    if (length > limit) throw new PayloadTooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
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

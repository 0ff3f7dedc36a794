/** Stripe's error shapes; the SDK turns each `type` and status into its own error class. */
type StripeErrorType = 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error';

export interface StripeErrorBody {
  type: StripeErrorType;
  message: string;
  code?: string;
  param?: string;
  decline_code?: string;
  charge?: string;
  payment_intent?: unknown;
  doc_url?: string;
  request_log_url?: string;
}

/** An answer that is not a success. Thrown by handlers, turned into `{error}` at the edge. */
export class StripeApiError extends Error {
  readonly status: number;
  readonly body: StripeErrorBody;

  constructor(status: number, body: StripeErrorBody) {
    super(body.message);
    this.status = status;
    this.body = body;
  }
}

const DOCS = 'https://stripe.com/docs/error-codes/';

/** 400 for a request that Stripe would refuse; `code` also names the page that explains it. */
export function invalidRequest(message: string, param?: string, code?: string): StripeApiError {
  return new StripeApiError(400, {
    ...(code === undefined ? {} : { code, doc_url: `${DOCS}${code.replaceAll('_', '-')}` }),
    message,
    ...(param === undefined ? {} : { param }),
    type: 'invalid_request_error',
  });
}

/** 400 for a parameter that was given empty and cannot be unset. */
export function emptyParameter(param: string): StripeApiError {
  return invalidRequest(
    `You passed an empty string for '${param}'. We assume empty values are an attempt to unset a parameter; however '${param}' cannot be unset. You should remove '${param}' from your request or supply a non-empty value.`,
    param,
    'parameter_invalid_empty',
  );
}

/** 404 for an id in the path, 400 for an id in a parameter: Stripe answers them differently. */
export function missingResource(kind: string, id: string, param: string, status: 400 | 404): StripeApiError {
  return new StripeApiError(status, {
    code: 'resource_missing',
    doc_url: `${DOCS}resource-missing`,
    message: `No such ${kind}: '${id}'`,
    param,
    type: 'invalid_request_error',
  });
}

export function unknownUrl(method: string, path: string): StripeApiError {
  return new StripeApiError(404, {
    message: `Unrecognized request URL (${method}: ${path}). Please see https://stripe.com/docs or we can help at https://support.stripe.com/.`,
    type: 'invalid_request_error',
  });
}

export function unauthorized(message: string): StripeApiError {
  return new StripeApiError(401, { message, type: 'invalid_request_error' });
}

/** 402: the card was refused. */
export function cardError(body: Omit<StripeErrorBody, 'type'>): StripeApiError {
  return new StripeApiError(402, {
    ...body,
    ...(body.code === undefined ? {} : { doc_url: `${DOCS}${body.code.replaceAll('_', '-')}` }),
    type: 'card_error',
  });
}

/** 409: the first request with the key has not been answered yet. */
export function idempotencyInUse(key: string): StripeApiError {
  return new StripeApiError(409, {
    code: 'idempotency_key_in_use',
    doc_url: `${DOCS}idempotency-key-in-use`,
    message: `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`,
    type: 'invalid_request_error',
  });
}

export function idempotencyMismatch(key: string): StripeApiError {
  return new StripeApiError(400, {
    message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
    type: 'idempotency_error',
  });
}

/**
 * What API version 2026-10-28.endive (the one that stripe 23.1 pins) has on top of the document that the
 * schemas are generated from (2026-08-26.dahlia). Each entry is read off the SDK's parameter types.
 */
import type { RequestSchema } from './request-schema.ts';

const strings: RequestSchema = { type: 'array', items: { type: 'string' } };

export const OVERLAY: Record<string, { add?: Record<string, RequestSchema>; remove?: string[] }> = {
  'POST /v1/checkout/sessions': {
    add: { allowed_payment_method_types: strings },
    remove: ['payment_method_types'],
  },
  'POST /v1/webhook_endpoints': { add: { api_version: { type: 'string' } } },
};

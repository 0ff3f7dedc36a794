import type { RequestHandler } from 'express';
import { logOf } from './correlate.ts';
import { refuse } from './refuse.ts';

/**
 * Answers 501 to every /billing/* path and method while billing is disabled, known path or not
 * (specification, "Errors").
 */
export function billingGate(disabled: boolean): RequestHandler {
  return (req, res, next) => {
    if (!disabled || !/^\/billing(?:\/|$)/i.test(req.path)) return next();
    const detail = 'Billing is turned off on this server (BILLING_DISABLED=true).';
    refuse(logOf(res), req, res, 'billing_disabled', detail);
  };
}

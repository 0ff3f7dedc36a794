import type { RequestHandler } from 'express';
import type { Logger } from '../deps.ts';
import { refuse } from './refuse.ts';

/**
 * Answers 501 to every /billing/* path and method while billing is disabled, known path or not
 * (specification, "Errors").
 */
export function billingGate(disabled: boolean, log: Logger): RequestHandler {
  return (req, res, next) => {
    if (!disabled || !/^\/billing(?:\/|$)/i.test(req.path)) return next();
    const detail = 'Billing is turned off on this server (BILLING_DISABLED=true).';
    refuse(log, req, res, 'billing_disabled', detail);
  };
}

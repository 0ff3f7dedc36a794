import type { RequestHandler } from 'express';
import { sendProblem } from './answer.ts';

/**
 * Answers 501 to every /billing/* path and method while billing is disabled, known path or not
 * (specification, "Errors").
 */
export function billingGate(disabled: boolean): RequestHandler {
  return (req, res, next) => {
    if (!disabled || !/^\/billing(?:\/|$)/i.test(req.path)) return next();
    sendProblem(res, 'billing_disabled', 'Billing is turned off on this server (BILLING_DISABLED=true).');
  };
}
